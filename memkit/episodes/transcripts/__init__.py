"""Transcripts of other programs."""
