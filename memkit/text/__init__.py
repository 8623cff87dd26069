"""Text analysis, lowest layer."""
