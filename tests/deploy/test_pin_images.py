"""``deploy/pin-images.sh`` writes the images' digests into ``.env``. Docker is a stand-in."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.deploy.compose_file import ROOT

IMAGES = {
    "CADDY_IMAGE_DIGEST": "caddy:2-alpine",
    "COTURN_IMAGE_DIGEST": "coturn/coturn:4.7.0-alpine",
    "POSTGRES_IMAGE_DIGEST": "pgvector/pgvector:pg18",
    "PYTHON_IMAGE_DIGEST": "python:3.11-slim-bookworm",
    "VALKEY_IMAGE_DIGEST": "valkey/valkey:9-alpine",
}
DIGEST_OF_THE_NAME = """#!/bin/sh
[ "$1 $2 $3" = "buildx imagetools inspect" ] || exit 2
echo "sha256:$(printf %s "$4" | sha256sum | cut -c 1-64)"
"""


@pytest.fixture
def dot_env(tmp_path: Path) -> Path:
    """A filled-in ``.env`` with an older digest in it."""
    path = tmp_path / ".env"
    path.write_text("POSTGRES_PASSWORD=kept\nCADDY_IMAGE_DIGEST=sha256:old\n# A comment.\n")
    return path


def pin(dot_env: Path, docker: str) -> subprocess.CompletedProcess[str]:
    program = dot_env.with_name("docker")
    program.write_text(docker)
    program.chmod(0o755)
    return subprocess.run(
        ["sh", ROOT / "deploy" / "pin-images.sh", dot_env],
        env={"PATH": f"{dot_env.parent}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_digest_of_every_image_is_written(dot_env: Path) -> None:
    assert pin(dot_env, DIGEST_OF_THE_NAME).returncode == 0
    lines = dict(line.split("=", 1) for line in dot_env.read_text().splitlines() if "=" in line)
    assert lines.pop("POSTGRES_PASSWORD") == "kept"
    assert set(lines) == set(IMAGES)
    assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", digest) for digest in lines.values())
    assert len(set(lines.values())) == len(IMAGES)
    assert "# A comment." in dot_env.read_text()


def test_the_file_is_replaced_as_a_whole_so_that_a_full_disk_costs_no_secret(dot_env: Path) -> None:
    """What would be cut off and written again, would be cut off at every name of the file."""
    before = dot_env.read_text()
    other_name = dot_env.with_name("other-name")
    other_name.hardlink_to(dot_env)
    dot_env.chmod(0o640)
    assert pin(dot_env, DIGEST_OF_THE_NAME).returncode == 0
    assert other_name.read_text() == before
    assert dot_env.stat().st_mode & 0o777 == 0o640
    assert {each.name for each in dot_env.parent.iterdir()} == {".env", "docker", "other-name"}


def test_every_digest_that_the_two_files_ask_for_is_known() -> None:
    both = (ROOT / "docker-compose.yml").read_text() + (ROOT / "Dockerfile").read_text()
    asked = re.findall(r"(\S+)@\$\{([A-Z]+_IMAGE_DIGEST)", both)
    assert {variable: image for image, variable in asked} == IMAGES


@pytest.mark.parametrize("docker", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho latest\n"])
def test_without_a_digest_nothing_is_written(dot_env: Path, docker: str) -> None:
    before = dot_env.read_text()
    failed = pin(dot_env, docker)
    assert failed.returncode != 0
    assert dot_env.read_text() == before
