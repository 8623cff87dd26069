"""Adapters: memkit behind the memory interfaces of agents' frameworks, one module each.

A module is imported by whoever has the framework; nothing in memkit imports one. They use what
memkit shows to everybody.
"""
