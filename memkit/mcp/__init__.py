"""MCP server: memkit's questions and changes as tools of the Model Context Protocol.

`server` speaks the protocol (extra `memkit[mcp]`), `tools` says what each tool does, `parameters`
reads what clients pass, `answers` keeps what goes back within its limit.
"""
