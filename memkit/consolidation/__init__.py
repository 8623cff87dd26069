"""Living memory: what strengthens, fades, links up, is merged and is forgotten."""
