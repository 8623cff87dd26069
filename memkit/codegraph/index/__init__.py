"""Building and updating the graph."""
