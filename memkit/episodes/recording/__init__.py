"""Recording of events as rows."""
