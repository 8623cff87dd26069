"""The SQLite file."""
