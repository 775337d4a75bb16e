"""A virtual environment with Pipecat, from ``bench/pipecat.lock``, outside of the checkout."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import bootstrap

_LOCK = Path(__file__).with_name("pipecat.lock")
"""Made by ``echo 'pipecat-ai[deepgram,openai,elevenlabs,silero]' | uv pip compile --universal
--python-version 3.11 --generate-hashes --no-emit-index-url --no-header - -o bench/pipecat.lock``.
The models of voice activity and of the end of a turn are in the package."""


def pipecat_python(cache: Path | None = None) -> Path:
    """The environment's Python. Makes the environment first, if it is not there: that takes a
    minute and a package registry.

    Raises:
        RuntimeError: uv is missing and cannot be fetched.
        subprocess.CalledProcessError: uv has failed, and said why.
    """
    folder = (cache or _cache()) / f"pipecat-{_fingerprint()}"
    python = folder / "bin" / "python"
    is_whole = folder / "is-whole"
    if not is_whole.exists():
        uv = bootstrap.find_uv() or bootstrap.install_uv(sys.executable)
        if uv is None:
            raise RuntimeError("uv is not installed and could not be fetched")
        environment = {**os.environ, "VIRTUAL_ENV": str(folder), "UV_PYTHON_DOWNLOADS": "never"}
        for step in (
            [uv, "venv", "--python", sys.executable, "--allow-existing", "--quiet", str(folder)],
            [uv, "pip", "sync", "--compile-bytecode", "--require-hashes", "--quiet", str(_LOCK)],
        ):
            subprocess.run(step, env=environment, check=True)
        is_whole.touch()
    return python


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "switchboard-bench"


def _fingerprint() -> str:
    """Changes with what is installed and with the Python that it is for."""
    return hashlib.sha256(f"{sys.version}\n".encode() + _LOCK.read_bytes()).hexdigest()[:12]
