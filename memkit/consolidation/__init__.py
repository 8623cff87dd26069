"""Consolidation: what a store does about its own memories, apart from remembering and recalling."""
