"""What a file is for, as far as its path tells."""

from __future__ import annotations

import re

_TEST = re.compile(
    r"(?:^|/)(?:[\w.]+-)?(?:tests?|specs?|__tests__|testdata)/"
    r"|(?:^|/)(?:test_|conftest\b)[^/]*$"
    r"|[._-](?:tests?|spec)\.\w+$"
    r"|(?:Tests?|Spec)\.(?:java|kt|scala|groovy|cs)$"
)


def of_tests(path: str) -> bool:
    """Whether a file is there to test others."""
    return bool(_TEST.search(path))
