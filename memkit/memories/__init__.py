"""Memories: remembered statements, their identity, search documents and upkeep."""
