"""``switchboard billing audit``: 0 for books that add up, 1 for others, 2 for none."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
import pytest
from typer.testing import CliRunner, Result

from control_plane.platform.database import SYSTEM_ROLE
from switchboard.cli import app


def run_audit(monkeypatch: pytest.MonkeyPatch, url: str, tmp_path: Path, *options: str) -> Result:
    monkeypatch.setenv("SWITCHBOARD_DATABASE_URL", url)
    return CliRunner().invoke(
        app, ["billing", "audit", "--data-dir", str(tmp_path), *options], catch_exceptions=False
    )


@pytest.fixture
def tenant_id(postgres_url: str) -> UUID:
    """A tenant with one entry."""
    tenant_id = uuid4()
    plain = postgres_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(plain) as connection:
        connection.execute(f"SET ROLE {SYSTEM_ROLE}")  # type: ignore[call-overload]
        connection.execute("INSERT INTO tenants (id, name) VALUES (%s, 'Books')", (tenant_id,))
        connection.execute("INSERT INTO billing_accounts (tenant_id) VALUES (%s)", (tenant_id,))
        connection.execute(
            "INSERT INTO ledger_entries (id, tenant_id, reference, transaction_type, free_micros,"
            " purchased_micros, amount_seconds, description)"
            " VALUES (gen_random_uuid(), %s, 'gift', 'grant', 5, 0, 0, 'Gift')",
            (tenant_id,),
        )
    return tenant_id


def tamper(postgres_url: str, statement: str) -> None:
    """As the owner of the tables."""
    plain = postgres_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(plain) as connection:
        connection.execute(statement)  # type: ignore[call-overload]


@pytest.mark.usefixtures("tenant_id")
def test_sound_books_exit_with_0(
    monkeypatch: pytest.MonkeyPatch, postgres_url: str, tmp_path: Path
) -> None:
    result = run_audit(monkeypatch, postgres_url, tmp_path, "--all")
    assert (result.exit_code, result.stdout.strip()) == (0, "The books add up.")


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (
            "UPDATE billing_accounts SET free_micros = free_micros + 1",
            "free credit is $0.000006 in its account, and $0.000005 by its days",
        ),
        (
            "UPDATE billing_accounts SET plan_micros = plan_micros + 1",
            "plan credit is $0.000001 in its account, and $0.000000 by its days",
        ),
        (
            "UPDATE billing_accounts SET held_plan_micros = held_plan_micros + 1",
            "held plan credit is $0.000001 in its account, and $0.000000 by its days",
        ),
        (
            "UPDATE counter_days SET micros = micros + 1",
            "is $0.000005 in its account, and $0.000004 by its days",
        ),
    ],
)
def test_a_difference_of_an_account_exits_with_1_and_names_the_tenant_and_both_figures(
    monkeypatch: pytest.MonkeyPatch,
    postgres_url: str,
    tmp_path: Path,
    tenant_id: UUID,
    statement: str,
    sentence: str,
) -> None:
    tamper(postgres_url, statement)
    result = run_audit(monkeypatch, postgres_url, tmp_path)
    assert result.exit_code == 1
    assert f"Tenant {tenant_id}: " in result.stdout
    assert sentence in result.stdout
    as_json = run_audit(monkeypatch, postgres_url, tmp_path, "--json")
    assert as_json.exit_code == 1
    [first, *_] = json.loads(as_json.stdout)
    assert (first["tenant_id"], first["day"]) == (str(tenant_id), None)
    assert all(each["kept"] != each["counted"] for each in first["figures"])


def test_a_forged_top_up_of_an_old_day_is_found_by_checking_every_day(
    monkeypatch: pytest.MonkeyPatch, postgres_url: str, tmp_path: Path, tenant_id: UUID
) -> None:
    with psycopg.connect(postgres_url.replace("postgresql+psycopg://", "postgresql://")) as owner:
        owner.execute(f"SET ROLE {SYSTEM_ROLE}")  # type: ignore[call-overload]
        for days_ago, kind in ((1, "grant"), (2, "grant"), (9, "topup")):
            owner.execute(
                "INSERT INTO ledger_entries (id, tenant_id, reference, transaction_type,"
                " free_micros, purchased_micros, amount_seconds, description, created_at)"
                " VALUES (gen_random_uuid(), %(tenant)s, %(reference)s, %(kind)s, 0, 7, 0, 'Entry',"
                " now() - %(days_ago)s * interval '1 day')",
                {
                    "tenant": tenant_id,
                    "reference": f"{kind}:forged:{days_ago}",
                    "kind": kind,
                    "days_ago": days_ago,
                },
            )
    newest = run_audit(monkeypatch, postgres_url, tmp_path, "--seconds", "0")
    assert (newest.exit_code, newest.stdout.strip()) == (0, "The books add up.")
    whole = run_audit(monkeypatch, postgres_url, tmp_path, "--all")
    assert whole.exit_code == 1
    assert f"Tenant {tenant_id}: the entry topup:forged:9 is $0.000007, and what" in whole.stdout


def test_a_database_without_books_is_no_difference_and_exits_with_2(
    monkeypatch: pytest.MonkeyPatch, postgres_url: str, tmp_path: Path
) -> None:
    """Whoever watches the exit code would take 1 for money that is missing."""
    without_tables = postgres_url.rpartition("/")[0] + "/postgres"
    result = run_audit(monkeypatch, without_tables, tmp_path)
    assert result.exit_code == 2
    assert 'relation "billing_accounts" does not exist' in result.stderr


def test_a_database_that_does_not_answer_exits_with_2(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nowhere = "postgresql+psycopg://nobody@127.0.0.1:9/none"
    result = run_audit(monkeypatch, nowhere, tmp_path)
    assert result.exit_code == 2
