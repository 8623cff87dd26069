"""Parameters of tests that pytest fills in."""

from __future__ import annotations

import pytest

from ..programs import calls

FILES = {
    "app.py": "class App:\n    def run(self): ...\nclass Other:\n    def run(self): ...\n",
    "tests/conftest.py": """
        import pytest
        from app import App, Other
        @pytest.fixture
        def app():
            yield App()
        @pytest.fixture(scope="session")
        def other(app): return Other()
        def helper(): return Other()
        """,
}


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("tests/test_a.py", "def test_run(app): app.run()", {"App.run"}),
        ("tests/deep/er/test_a.py", "def test_run(other): other.run()", {"Other.run"}),
        ("tests/test_a.py", "class TestA:\n    def test_run(self, app): app.run()", {"App.run"}),
        ("tests/test_a.py", "def test_run(helper): helper.run()", set()),
        ("tests/test_a.py", "def use(app): app.run()", set()),
        ("elsewhere/test_a.py", "def test_run(app): app.run()", set()),
        (
            "tests/test_a.py",
            "import pytest, app\n@pytest.fixture\ndef made(): return app.Other()\n"
            "def test_run(made): made.run()",
            {"Other.run"},
        ),
        (
            "tests/test_a.py",
            "import pytest\n@pytest.fixture\ndef app(app):\n    app.run()\n    return app\n"
            "def test_run(app): app.run()",
            {"App.run"},
        ),
    ],
)
def test_test_parameter_has_the_type_of_its_fixture(path: str, text: str, found: set[str]) -> None:
    """A parameter of a test is what the nearest fixture of that name returns or yields."""
    made = calls({**FILES, path: text})
    ran = {target for source, target in made if source.startswith(path) and ".run" in target}
    assert {target.partition(":")[2] for target in ran} == found
