"""``make check`` runs the tests that belong to what changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import changed


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "sound/mixer.py": "",
        "sound/room.py": "",
        "sound/legs/opus.py": "",
        "tests/conftest.py": "",
        "tests/sound/conftest.py": "",
        "tests/sound/fakes.py": "",
        "tests/sound/test_mixer.py": "from sound import mixer, room",
        "tests/sound/test_call.py": "from tests.sound.fakes import call_plan",
        "tests/api/test_api.py": "import sound.mixer",
        "tests/e2e/test_page.py": "from sound.mixer import mix",
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
            "sound/mixer.py",
            ["api/test_api.py", "e2e/test_page.py", "sound/test_mixer.py"],
        ),
        # No test file has its name: the tests of its folder.
        ("sound/room.py", ["sound/test_call.py", "sound/test_mixer.py"]),
        # No folder mirrors its folder: the nearest one above.
        ("sound/legs/opus.py", ["sound/test_call.py", "sound/test_mixer.py"]),
        ("tests/sound/fakes.py", ["sound/test_call.py"]),
        ("tests/sound/conftest.py", ["sound/test_call.py", "sound/test_mixer.py"]),
        ("tests/sound/test_call.py", ["sound/test_call.py"]),
        # What all tests share, and what has none, is for ``make test``.
        ("tests/conftest.py", []),
        ("README.md", []),
    ],
)
def test_these_tests_belong_to_a_changed_file(project: Path, name: str, tests: list[str]) -> None:
    chosen = changed.tests_of([project / name])
    assert sorted(str(path.relative_to(project / "tests")) for path in chosen) == tests
