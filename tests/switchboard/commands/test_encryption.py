from __future__ import annotations

import asyncio
from pathlib import Path
from uuid import uuid4

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import delete

from contracts.sealing import Sealer
from control_plane.building.provider_keys.models import ProviderKey
from control_plane.platform.database import Database
from control_plane.platform.tenancy.models import Tenant
from switchboard.commands.encryption_rotation import run_rotation
from switchboard.settings import MissingSetting, Settings
from switchboard.state import Secrets, write_secrets


def keep(postgres_url: str, sealed_key: str) -> None:
    """One stored secret, alone in the database."""

    async def run() -> None:
        database = Database(postgres_url)
        tenant = Tenant(id=uuid4(), name="Rotating")
        async with database.system_session() as session:
            await session.execute(delete(ProviderKey))
            session.add(tenant)
            await session.flush()
            session.add(
                ProviderKey(
                    tenant_id=tenant.id,
                    provider="openai",
                    sealed_key=sealed_key,
                    last_four="4321",
                    verified_at=None,
                )
            )
        await database.aclose()

    asyncio.run(run())


def test_it_says_what_it_did_and_finds_the_database_of_the_data_directory(
    tmp_path: Path, postgres_url: str
) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    keep(postgres_url, Sealer([old]).seal("hush"))
    write_secrets(
        tmp_path, Secrets(secret_key="s" * 32, operator_token="o", database_url=postgres_url)
    )
    settings = Settings(data_dir=tmp_path, encryption_keys=(new, old))
    said: list[str] = []
    run_rotation(settings, said.append)
    assert said[0] == "provider_keys.sealed_key: 1 secrets, 1 encrypted again"
    said.clear()
    run_rotation(settings, said.append)
    assert said[0] == "provider_keys.sealed_key: 1 secrets, 0 encrypted again"


def test_a_secret_that_no_key_opens_is_a_failure(tmp_path: Path, postgres_url: str) -> None:
    keep(postgres_url, Sealer([Fernet.generate_key().decode()]).seal("hush"))
    said: list[str] = []
    settings = Settings(data_dir=tmp_path, database_url=postgres_url, secret_key="s" * 32)
    assert run_rotation(settings, said.append) == 1
    assert said[0].endswith("1 secrets, 0 encrypted again, 1 cannot be opened")


def test_without_a_database_it_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingSetting, match="SWITCHBOARD_DATABASE_URL"):
        run_rotation(Settings(data_dir=tmp_path, secret_key="s" * 32), print)


@pytest.mark.parametrize(
    ("database", "said"), [("nowhere", '"nowhere" does not exist'), ("postgres", "provider_keys")]
)
def test_a_database_that_refuses_is_not_taken_for_a_secret_that_no_key_opens(
    tmp_path: Path,
    postgres_url: str,
    capsys: pytest.CaptureFixture[str],
    database: str,
    said: str,
) -> None:
    url = f"{postgres_url.rpartition('/')[0]}/{database}"
    settings = Settings(data_dir=tmp_path, database_url=url, secret_key="s" * 32)
    assert run_rotation(settings, print) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in shown.err
