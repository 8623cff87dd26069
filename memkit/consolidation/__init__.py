"""Consolidation: what is made of memories that lie there already."""
