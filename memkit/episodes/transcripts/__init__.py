"""Transcripts that other agents left: one reader a format, one form for all, one importer."""
