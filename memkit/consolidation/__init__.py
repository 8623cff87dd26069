"""Consolidation: what a store does about its own memories, beside recalling them."""
