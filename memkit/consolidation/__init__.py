"""Consolidation: what is merged, forgotten and kept of memories, planned, undoable."""
