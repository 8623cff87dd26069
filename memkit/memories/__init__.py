"""Remembered statements."""
