"""Makes `.venv` from `requirements.lock`. Needs nothing but Python and a package registry.

Run by `make`. Does nothing when `.venv` is up to date. Works where `python3 -m venv` lacks pip
(Debian without python3-venv) and where the system's Python is externally managed (PEP 668).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
LOCK = ROOT / "requirements.lock"
BUILD_LOCK = ROOT / "deploy" / "build.lock"
"""uv, with its hashes."""
CLIENT = ROOT / "clients" / "python"
STAMP = VENV / "switchboard-installed"
OWN_UV = ROOT / ".uv-bootstrap"
OLDEST = (3, 11)
NEWER_NAMES = ("python3.14", "python3.13", "python3.12", "python3.11")


def main() -> int:
    python = find_python()
    if python is None:
        found = ".".join(str(part) for part in sys.version_info[:3])
        return fail(f"Switchboard needs Python 3.11 or newer; {sys.executable} is {found}.")
    wanted = fingerprint(python)
    if STAMP.exists() and STAMP.read_text() == wanted:
        return 0
    uv = find_uv() or install_uv(python)
    if uv is None:
        return fail(
            "uv is not installed and could not be fetched, because this Python has neither venv "
            "nor pip.\nInstall one of them and try again, for example: apt-get install python3-venv"
        )
    say("Installing Switchboard into .venv")
    STAMP.unlink(missing_ok=True)
    steps = [
        [uv, "venv", "--python", python, "--allow-existing", "--quiet", str(VENV)],
        [uv, "pip", "sync", "--compile-bytecode", "--require-hashes", str(LOCK)],
        [
            *(uv, "pip", "install", "--no-deps", "--no-build-isolation", "--quiet"),
            *("--editable", str(ROOT), "--editable", str(CLIENT)),
        ],
    ]
    environment = {**os.environ, "VIRTUAL_ENV": str(VENV), "UV_PYTHON_DOWNLOADS": "never"}
    for step in steps:
        if subprocess.run(step, cwd=ROOT, env=environment, check=False).returncode != 0:
            return fail(f"failed: {' '.join(step)}")
    STAMP.write_text(wanted)
    return 0


def find_python() -> str | None:
    """The Python to install into: the one that runs this, or a newer one beside it."""
    if sys.version_info >= OLDEST:
        return sys.executable
    return next((path for name in NEWER_NAMES if (path := shutil.which(name))), None)


def fingerprint(python: str) -> str:
    """Changes with whatever makes an existing `.venv` unfit, its place included."""
    digest = hashlib.sha256(f"{ROOT}\n{os.path.realpath(python)}\n".encode())
    for path in (LOCK, ROOT / "pyproject.toml", CLIENT / "pyproject.toml"):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def find_uv() -> str | None:
    own = OWN_UV / "bin" / "uv"
    for candidate in (shutil.which("uv"), str(own)):
        # A version manager's stand-in may be on the path without uv behind it.
        if candidate and runs(candidate, "--version"):
            return candidate
    return None


def install_uv(python: str) -> str | None:
    """uv into a folder of our own: nothing is changed outside the project."""
    say("Fetching uv")
    shutil.rmtree(OWN_UV, ignore_errors=True)
    own = OWN_UV / "bin" / "uv"
    if runs(python, "-m", "venv", str(OWN_UV)):
        pip = [str(OWN_UV / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    else:
        shutil.rmtree(OWN_UV, ignore_errors=True)
        # With a target pip leaves the system's Python alone, so PEP 668 does not forbid it.
        pip = [python, "-m", "pip", "install", "--quiet", "--target", str(OWN_UV)]
    locked = [*pip, "--require-hashes", "--requirement", str(BUILD_LOCK)]
    installed = subprocess.run(locked, check=False).returncode == 0
    return str(own) if installed and own.exists() else None


def runs(*command: str) -> bool:
    try:
        done = subprocess.run(
            command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except OSError:
        return False
    return done.returncode == 0


def say(text: str) -> None:
    print(f"==> {text}", flush=True)


def fail(text: str) -> int:
    print(f"error: {text}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
