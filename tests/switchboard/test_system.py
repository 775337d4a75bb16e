from __future__ import annotations

import stat
from pathlib import Path

import pytest
from rich.console import Console

from switchboard.progress import TerminalProgress
from switchboard.services.ports import free_port
from switchboard.settings import Settings
from switchboard.state import SecretsDamaged
from switchboard.system import close_to_others, running_system
from switchboard.up import run_up


def test_only_our_own_folders_are_closed_to_others(tmp_path: Path) -> None:
    names = ("logs", "outbox", "photos")
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(0o755)
    (tmp_path / "objects").symlink_to(tmp_path / "photos")
    close_to_others(tmp_path)
    modes = {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in names}
    assert modes == {"logs": 0o700, "outbox": 0o700, "photos": 0o755}


@pytest.mark.parametrize("left", ["", '{"secret_key": "typed in by hand"}', "{"])
async def test_damaged_secrets_are_not_replaced_by_new_ones(tmp_path: Path, left: str) -> None:
    """What they have encrypted could never be opened again."""
    kept = tmp_path / "secrets.json"
    kept.write_text(left)
    settings = Settings(data_dir=tmp_path, port=free_port())
    with pytest.raises(SecretsDamaged, match="secret_key"):
        async with running_system(settings, TerminalProgress(Console())):
            pytest.fail("it has started")
    assert kept.read_text() == left


def test_whoever_starts_on_damaged_secrets_reads_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "secrets.json").write_text("{")
    assert run_up(Settings(data_dir=tmp_path, port=free_port()), Console(width=1000)) == 1
    assert "put a copy of the file back" in capsys.readouterr().out


def test_a_failure_is_shown_with_its_brackets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The log of a process that died, for example, has some."""
    data_dir = tmp_path / "values[key]"
    data_dir.mkdir()
    (data_dir / "secrets.json").write_text("{")
    assert run_up(Settings(data_dir=data_dir, port=free_port()), Console(width=1000)) == 1
    assert str(data_dir) in capsys.readouterr().out
