"""Store: the SQLite file, its schema, connections and named queries."""
