"""Agents: what plugs memkit into coding agents."""
