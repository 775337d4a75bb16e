"""Every code block of the documentation is run, parsed, or says why not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.docs.blocks import (
    PAGES,
    ROOT,
    RUNNABLE,
    Block,
    blocks_of,
    name_of,
    python_program,
)

BLOCKS = [block for page in PAGES for block in blocks_of(page)]
_RUNNING = "starts a whole system, which the tests have running already"
_WALKED = "starts a whole system; a test walks through it in a fresh clone"
NOT_RUN = {
    (
        "docs/operator.md",
        "operator /v1/operator/parked-events/$EVENT",
    ): "needs the id of a parked event",
    (
        "docs/operator.md",
        "switchboard jobs --only events",
    ): "would take work from the system that the tests have running",
    (
        "README.md",
        "make demo",
    ): "starts a whole system; the demo has a test of its own",
    ("README.md", "make test"): "runs every test, this one too",
    ("README.md", "make up"): _WALKED,
    ("docs/README.md", "make up"): _WALKED,
    (
        "docs/operator.md",
        "cp .env.example .env && chmod 600 .env    # then fill it in",
    ): "needs Docker and the registries of the images",
    ("docs/operator.md", "docker compose --profile tls up"): "needs Docker and a public domain",
    (
        "docs/operator.md",
        "export SWITCHBOARD_APP_DATABASE_URL="
        "postgresql://switchboard_app:choose-another@db.internal/switchboard",
    ): "needs a PostgreSQL of your own",
    (
        "docs/operator.md",
        "SWITCHBOARD_OUTBOUND_ALLOWED_NETWORKS=10.20.0.0/16,fd12:3456::/32 make up",
    ): _RUNNING,
    (
        "clients/python/README.md",
        "pip install ./clients/python",
    ): "installs into your environment; the project's own has the client already",
    (
        "docs/custom-endpoints.md",
        "import array",
    ): "it listens for ever; a test runs its functions",
    (
        "docs/density.md",
        "make install",
    ): "measures for minutes, on a machine that does nothing else",
    (
        "docs/density.md",
        "git worktree add --detach ../switchboard-old 13003ca",
    ): "installs another release, and measures for an hour",
    (
        "README.md",
        ".venv/bin/switchboard account create",
    ): "a test walks through it in a fresh clone",
    (
        "docs/payments.md",
        'api /v1/billing/checkout/start -H "Idempotency-Key: top-up-1" \\',
    ): "needs a payment gateway",
    (
        "docs/payments.md",
        'api /v1/billing/mandate/register -H "Idempotency-Key: mandate-1" -d \'{',
    ): "needs a payment gateway",
    (
        "docs/phones.md",
        "export SWITCHBOARD_BRIDGE_PUBLIC_URL=https://phones.example.com    # what carriers call",
    ): "needs a public domain",
    ("docs/webhooks.md", "api /v1/webhooks -d '{"): "hooks.example.com does not exist",
    (
        "docs/webhooks.md",
        "switchboard webhooks listen http://localhost:3000/hooks --event call.completed --event"
        " call.failed",
    ): "it listens until somebody stops it",
    (
        "docs/webhooks.md",
        'api "/v1/webhooks/$WEBHOOK/deliveries?status=failed"',
    ): "there is no webhook with this id",
    ("README.md", "ollama pull llama3.2"): _WALKED,
    (
        "docs/networks.md",
        "docker compose --profile turn up -d",
    ): "needs Docker and an address that callers reach",
}
"""The first line of each block that no test runs, and its page's reason."""


def test_no_page_with_blocks_is_left_out() -> None:
    """Of the project itself: what an installation or a tool writes does not count."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    if listed.returncode != 0:
        pytest.skip("this is not a checkout of git")
    pages = [ROOT / name for name in listed.stdout.splitlines()]
    assert [name_of(page) for page in pages if blocks_of(page) and page not in PAGES] == []


def test_every_fence_belongs_to_a_block() -> None:
    for page in PAGES:
        fences = re.findall(r"^\s*(?:```|~~~)", page.read_text(), re.MULTILINE)
        assert len(fences) == 2 * len(blocks_of(page)), name_of(page)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_a_block_says_what_it_holds(block: Block) -> None:
    assert block.language in (*RUNNABLE, "json", "yaml", "text")
    if block.comment:
        assert block.not_run or block.refused_with, f"not understood: {block.comment}"
        assert block.language in RUNNABLE


def test_the_blocks_that_are_not_run() -> None:
    found = {
        (name_of(block.page), block.text.splitlines()[0]): block.not_run
        for block in BLOCKS
        if block.not_run
    }
    assert found == NOT_RUN


@pytest.mark.parametrize(
    "block", [each for each in BLOCKS if each.language == "json"], ids=lambda block: block.name
)
def test_json_is_json(block: Block) -> None:
    json.loads(block.text)


@pytest.mark.parametrize(
    "block", [each for each in BLOCKS if each.language == "yaml"], ids=lambda block: block.name
)
def test_yaml_is_yaml(block: Block) -> None:
    assert isinstance(yaml.safe_load(block.text), dict)


@pytest.mark.parametrize("page", [page for page in PAGES if python_program(page)], ids=name_of)
def test_python_is_typed(page: Path, tmp_path: Path) -> None:
    program = tmp_path / "example.py"
    program.write_text(python_program(page))
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(program)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert checked.returncode == 0, checked.stdout
