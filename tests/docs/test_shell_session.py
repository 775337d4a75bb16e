"""A block of the documentation that does not do what its page says fails its session."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT, Block
from tests.docs.shell_session import run_blocks


def block(text: str, language: str = "sh", comment: str = "") -> Block:
    return Block(ROOT / "page.md", 1, language, f"{text}\n", comment)


def run(directory: Path, *blocks: Block) -> str:
    # As in a page whose reader has activated the environment: not every system has a ``python``.
    own_python = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return run_blocks(blocks, directory, os.environ | {"PATH": own_python})


def test_blocks_share_their_variables(tmp_path: Path) -> None:
    printed = run(tmp_path, block("GREETING=hello"), block("echo $GREETING, Ada"))
    assert "hello, Ada" in printed


def test_consecutive_python_blocks_are_one_program(tmp_path: Path) -> None:
    printed = run(tmp_path, block("n = 6", "python"), block("print(n * 7)", "python"))
    assert "42" in printed


@pytest.mark.parametrize(
    "failing",
    [
        block("false; true"),
        block("false | cat"),
        block("echo $NEVER_FILLED"),
        block("curl -sS file:///no/such/file"),
        block("raise SystemExit(1)", "python"),
        block("import warnings; warnings.warn('old')", "python"),
    ],
    ids=lambda each: each.text.strip(),
)
def test_a_failure_ends_the_session_and_names_the_block(failing: Block, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"## page\.md:1\n") as failed:
        run(tmp_path, failing, block("echo 'not reached'"))
    assert "not reached" not in str(failed.value)


REFUSAL = """echo '{"status":400}'; false"""


def test_an_announced_refusal_is_no_failure(tmp_path: Path) -> None:
    printed = run(tmp_path, block(REFUSAL, comment="answers 400: no carrier"), block("echo on"))
    assert printed.endswith("on\n")


@pytest.mark.parametrize(
    "other", [block("true", comment="answers 400: x"), block(REFUSAL, comment="answers 404: x")]
)
def test_anything_else_than_the_announced_refusal_fails(other: Block, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        run(tmp_path, other)
