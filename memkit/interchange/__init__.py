"""Import, export, merge."""
