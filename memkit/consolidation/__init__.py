"""Consolidation: what strengthens, fades, compresses and is forgotten as memories grow old."""
