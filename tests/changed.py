"""The tests of what changed since this branch left ``main``: ``make check``.

A changed test file is run itself. For a changed module these are run:

- the test file of the same name in the folder of ``tests`` that mirrors the module's, or every test
  file of that folder (or of the nearest folder above it) when there is none of that name;
- every test file that imports the module by name.

That is a choice by names, which needs no earlier run and misses what a module breaks further away:
``make test`` has the last word. End-to-end tests are named and not run.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
END_TO_END = TESTS / "e2e"


def main() -> int:
    """Returns pytest's exit code, or 0 when nothing that changed has tests."""
    parser = argparse.ArgumentParser(prog="make check", description=__doc__)
    parser.add_argument("--base", default="main", help="branch or commit to compare with")
    chosen = tests_of(changed_since(parser.parse_args().base))
    left_out = {path for path in chosen if path.is_relative_to(END_TO_END)}
    for path in sorted(left_out):
        print(f"not run here: {path.relative_to(ROOT)}")
    files = [str(path.relative_to(ROOT)) for path in sorted(chosen - left_out)]
    if not files:
        print("no test belongs to what changed")
        return 0
    print(f"==> tests of what changed: {len(files)} files")
    command = [sys.executable, "-m", "pytest", "-q", "-n", "logical", "--dist", "worksteal", *files]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def changed_since(base: str) -> list[Path]:
    """Files that differ from where this branch left ``base``, committed or not, and new ones."""
    left_at = git("merge-base", "HEAD", base)[0]
    names = git("diff", "--name-only", "--diff-filter=d", left_at)
    names += git("ls-files", "--others", "--exclude-standard")
    return [ROOT / name for name in names]


def git(*arguments: str) -> list[str]:
    """The lines that the command prints."""
    ran = subprocess.run(["git", *arguments], cwd=ROOT, check=False, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"git {' '.join(arguments)}: {ran.stderr.strip()}")
    return ran.stdout.splitlines()


def tests_of(changed: Iterable[Path]) -> set[Path]:
    """The test files that belong to the changed files."""
    changed = list(changed)
    chosen = {path for path in changed if is_test(path)}
    modules = {module_name(path) for path in changed if path.suffix == ".py"}
    for path in changed:
        if path.name == "conftest.py" and path.parent != TESTS:
            chosen.update(path.parent.rglob("test_*.py"))
        elif not path.is_relative_to(TESTS):
            chosen.update(mirroring(path))
    for test in TESTS.rglob("test_*.py"):
        if modules.intersection(imported_by(test)):
            chosen.add(test)
    return chosen


def is_test(path: Path) -> bool:
    return path.is_relative_to(TESTS) and path.match("test_*.py")


def mirroring(path: Path) -> list[Path]:
    """The test files in the place of ``tests`` that mirrors where ``path`` lies."""
    folder = TESTS / path.parent.relative_to(ROOT)
    if named := list(folder.glob(f"test_{path.stem}.py")):
        return named
    while folder != TESTS and not list(folder.glob("test_*.py")):
        folder = folder.parent
    return [] if folder == TESTS else list(folder.glob("test_*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_by(path: Path) -> Iterator[str]:
    """Names of modules that the file imports, and of what it imports from them."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                yield from (each.name for each in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield module
                yield from (f"{module}.{each.name}" for each in names)


if __name__ == "__main__":
    sys.exit(main())
