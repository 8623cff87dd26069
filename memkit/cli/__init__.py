"""The command line: each command is one entry of a table and one short function."""
