"""Making `.venv` on machines that lack something, without a network: uv is a stand-in."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = (
    *("bootstrap.py", "requirements.lock", "pyproject.toml"),
    *("clients/python/pyproject.toml", "deploy/build.lock"),
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "clients" / "python").mkdir(parents=True)
    (tmp_path / "deploy").mkdir()
    for name in FILES:
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def _program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def _bootstrap(project: Path, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, str(project / "bootstrap.py")],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": f"{project / 'path'}:/usr/bin:/bin", "HOME": str(project)},
    )


def _stand_in_uv(project: Path) -> None:
    calls = project / "calls"
    _program(project / "path" / "uv", f'echo "$@" >> {calls}; [ "$1" != venv ] || mkdir -p .venv')


def test_installs_the_locked_versions_with_their_hashes(project: Path) -> None:
    _stand_in_uv(project)
    assert _bootstrap(project).returncode == 0
    calls = (project / "calls").read_text()
    assert "--require-hashes" in calls
    assert "requirements.lock" in calls
    assert f"--editable {project / 'clients' / 'python'}" in calls


def test_does_nothing_when_all_is_up_to_date(project: Path) -> None:
    _stand_in_uv(project)
    _bootstrap(project)
    before = (project / "calls").read_text()
    assert _bootstrap(project).returncode == 0
    assert (project / "calls").read_text() == before


def test_installs_again_when_the_lock_has_changed(project: Path) -> None:
    _stand_in_uv(project)
    _bootstrap(project)
    (project / "calls").unlink()
    with (project / "requirements.lock").open("a") as lock:
        lock.write("# changed\n")
    _bootstrap(project)
    assert "pip sync" in (project / "calls").read_text()


def test_a_failed_step_is_named_and_tried_again_next_time(project: Path) -> None:
    _program(
        project / "path" / "uv",
        '[ "$1" != --version ] || exit 0; [ "$1" != venv ] || mkdir -p .venv; [ "$1" = venv ]',
    )
    failed = _bootstrap(project)
    assert failed.returncode == 1
    assert "failed:" in failed.stderr
    _stand_in_uv(project)
    assert _bootstrap(project).returncode == 0
    assert "pip sync" in (project / "calls").read_text()


def test_without_venv_and_pip_it_says_what_to_install(project: Path) -> None:
    _program(
        project / "path" / "python",
        'case "$2" in venv|pip) exit 1;; esac; exec ' + sys.executable + ' -S "$@"',
    )
    # The interpreter finds itself through `sys.executable`; give it the crippled one.
    script = (project / "bootstrap.py").read_text()
    (project / "bootstrap.py").write_text(
        script.replace("return sys.executable", f"return {str(project / 'path' / 'python')!r}")
    )
    _program(project / "path" / "uv", "exit 127")
    failed = _bootstrap(project)
    assert failed.returncode == 1
    assert "python3-venv" in failed.stderr


def test_an_old_python_is_refused_by_name(project: Path) -> None:
    script = (project / "bootstrap.py").read_text()
    (project / "bootstrap.py").write_text(
        script.replace("OLDEST = (3, 11)", "OLDEST = (99, 0)").replace(
            '("python3.14", "python3.13", "python3.12", "python3.11")', '("python99",)'
        )
    )
    failed = _bootstrap(project)
    assert failed.returncode == 1
    assert "Python 3.11 or newer" in failed.stderr
