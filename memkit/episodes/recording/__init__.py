"""Event → row."""
