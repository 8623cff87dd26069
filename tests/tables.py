"""Tests over tables: one test that goes through all rows and reports every row that fails."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Test = Callable[..., None]


def each_row(names: str, rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Like `pytest.mark.parametrize`, within one test: rows share its fixtures and must not
    change them. Rows that fail are raised together, each with a note of what it holds."""
    parameters = [name.strip() for name in names.split(",")]
    table = [_values(row, parameters) for row in rows]

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(*arguments: Any, **fixtures: Any) -> None:
            failures: list[BaseException] = []
            for row in table:
                try:
                    test(*arguments, **fixtures, **row)
                except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001 - raised below
                    failure.add_note(f"row: {row!r:.500}")
                    failures.append(failure)
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(table)} rows fail", failures)
            assert table

        signature = inspect.signature(test)
        fixtures = [p for name, p in signature.parameters.items() if name not in parameters]
        run.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return run

    return decorate


def _values(row: Any, parameters: list[str]) -> dict[str, Any]:
    return dict(zip(parameters, row if len(parameters) > 1 else [row], strict=True))
