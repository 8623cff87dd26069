"""What runs beside an agent: its hooks, the guard of its actions, and what learns from it."""
