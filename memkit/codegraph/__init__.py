"""Code knowledge graph."""
