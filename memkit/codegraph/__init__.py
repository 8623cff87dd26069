"""The code beside the file: what is defined where, and what calls, uses and inherits what."""
