"""``make check`` runs the tests that belong to what changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import changed


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "runtime/media/mixer.py": "",
        "runtime/media/room.py": "",
        "runtime/legs/opus.py": "",
        "tests/conftest.py": "",
        "tests/runtime/conftest.py": "",
        "tests/runtime/fakes.py": "",
        "tests/runtime/media/test_mixer.py": "from runtime import mixer, room",
        "tests/runtime/call/test_call.py": "from tests.runtime.fakes import call_plan",
        "tests/api/test_api.py": "import runtime.media.mixer",
        "tests/e2e/test_page.py": "from runtime.media.mixer import mix",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    monkeypatch.setattr(changed, "ROOT", tmp_path)
    monkeypatch.setattr(changed, "TESTS", tmp_path / "tests")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "tests"),
    [
        # Its own test file, and every test that imports it.
        (
            "runtime/media/mixer.py",
            ["api/test_api.py", "e2e/test_page.py", "runtime/test_mixer.py"],
        ),
        # No test file has its name: the tests of its folder.
        ("runtime/media/room.py", ["runtime/test_call.py", "runtime/test_mixer.py"]),
        # No folder mirrors its folder: the nearest one above.
        ("runtime/legs/opus.py", ["runtime/test_call.py", "runtime/test_mixer.py"]),
        ("tests/runtime/fakes.py", ["runtime/test_call.py"]),
        ("tests/runtime/conftest.py", ["runtime/test_call.py", "runtime/test_mixer.py"]),
        ("tests/runtime/call/test_call.py", ["runtime/test_call.py"]),
        # What all tests share, and what has none, is for ``make test``.
        ("tests/conftest.py", []),
        ("README.md", []),
    ],
)
def test_these_tests_belong_to_a_changed_file(project: Path, name: str, tests: list[str]) -> None:
    chosen = changed.tests_of([project / name])
    assert sorted(str(path.relative_to(project / "tests")) for path in chosen) == tests
