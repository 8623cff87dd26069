"""What does a thing, called after it, so that "which formatter?" and "we format with gofumpt" meet.

The stemmer of full-text search (Porter's) joins "scheduler" to "schedule", but takes no ending from
a stem of one syllable: "linter" and "lint" are two words to it. A closed list of what developers'
tools are called; most words that end so ("order", "server", "never") are called after nothing.
"""

from __future__ import annotations

_ACTS = {
    "batcher": "batch", "builder": "build", "bundler": "bundle", "caller": "call",
    "checker": "check", "cleaner": "clean", "collector": "collect", "connector": "connect",
    "crawler": "crawl", "debugger": "debug", "deployer": "deploy", "dumper": "dump",
    "emitter": "emit", "fetcher": "fetch", "formatter": "format", "fuzzer": "fuzz",
    "inspector": "inspect", "lexer": "lex", "linker": "link", "linter": "lint", "loader": "load",
    "logger": "log", "mapper": "map", "mocker": "mock", "owner": "own", "packer": "pack",
    "parser": "parse", "planner": "plan", "poller": "poll", "printer": "print",
    "pusher": "push", "reader": "read", "router": "route", "runner": "run", "scanner": "scan",
    "scraper": "scrape", "seeder": "seed", "selector": "select", "sender": "send",
    "sorter": "sort", "splitter": "split", "streamer": "stream", "tagger": "tag",
    "tester": "test", "throttler": "throttle", "tracer": "trace", "trainer": "train",
    "watcher": "watch", "wrapper": "wrap", "writer": "write",
}  # fmt: skip
_DOERS = {act: doer for doer, act in _ACTS.items()}


def called_after(word: str) -> tuple[str, ...]:
    """Return the act that a word in lower case is called after, or what is called after it."""
    found = _ACTS.get(word.removesuffix("s")) or _DOERS.get(word)
    return () if found is None else (found,)
