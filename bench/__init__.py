"""Measurements: `python -m bench NAME --data DIR [--json FILE] [--limit N]`.

`recall` and `secrets` measure quality on evaluation data that lies outside the repository,
`latency` and `imports` measure time. Every figure stands beside a floor measured in the same run.
"""
