"""Query to ranked hits: what answers a question, with the reasons."""
