"""Text analysis: normal forms, words and word lists; the lowest layer."""
