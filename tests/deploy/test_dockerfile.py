"""The image fetches nothing that is not named by a digest or by hashes."""

from __future__ import annotations

import re

from tests.deploy.compose_file import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
COMMANDS = [
    command.strip()
    for line in DOCKERFILE.splitlines()
    if line.startswith("RUN ")
    for command in line.removeprefix("RUN ").split("&&")
]


def test_the_base_is_named_by_its_digest() -> None:
    bases = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert len(bases) == 2
    assert set(bases) == {"python:3.11-slim-bookworm@${PYTHON_IMAGE_DIGEST}"}
    assert "\nARG PYTHON_IMAGE_DIGEST\n" in DOCKERFILE


def test_every_package_is_installed_by_its_hashes() -> None:
    installing = [command for command in COMMANDS if re.search(r"\b(install|sync)\b", command)]
    fetching = [command for command in installing if re.search(r"\bpip\b", command)]
    assert len(fetching) == 3
    for command in fetching:
        # Our own wheels are built here, from what was installed by its hashes.
        is_own = "--offline --no-deps" in command and command.endswith("/build/wheels/*.whl")
        assert "--require-hashes" in command or is_own, command


def test_nothing_is_fetched_in_another_way() -> None:
    assert not re.search(r"\b(curl|wget|apt-get|apk|git clone|ADD|npm)\b", DOCKERFILE)
    assert not re.search(r"COPY --from=(?!build\b)", DOCKERFILE)
