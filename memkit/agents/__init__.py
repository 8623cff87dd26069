"""What runs beside an agent: the guard of its actions, and a thread that remembers for it."""
