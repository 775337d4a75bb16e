from __future__ import annotations

import stat
from pathlib import Path

from switchboard.system import close_to_others


def test_only_our_own_folders_are_closed_to_others(tmp_path: Path) -> None:
    names = ("logs", "outbox", "photos")
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(0o755)
    (tmp_path / "objects").symlink_to(tmp_path / "photos")
    close_to_others(tmp_path)
    modes = {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in names}
    assert modes == {"logs": 0o700, "outbox": 0o700, "photos": 0o755}
