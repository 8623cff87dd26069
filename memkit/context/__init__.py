"""Context: what is put before a model within a budget, and what is taken out of it again."""
