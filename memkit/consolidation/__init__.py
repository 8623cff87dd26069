"""Living memory: what strengthens, fades, links up and is forgotten."""
