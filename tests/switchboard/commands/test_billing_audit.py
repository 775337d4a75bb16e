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

DAY = "2026-01-15"
"""Of the entry."""


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
            " purchased_micros, amount_seconds, description, created_at)"
            " VALUES (gen_random_uuid(), %s, 'gift', 'grant', 5, 0, 0, 'Gift', %s)",
            (tenant_id, f"{DAY}T12:00Z"),
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


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (
            "UPDATE ledger_entries SET free_micros = 6",
            f"free credit is $0.000005 in its totals of {DAY}, and $0.000006 by its entries.",
        ),
        (
            "DELETE FROM ledger_entries",
            f"entries is 1 in its totals of {DAY}, and 0 by its entries.",
        ),
    ],
)
def test_a_difference_of_a_day_exits_with_1_and_names_the_day_and_both_figures(
    monkeypatch: pytest.MonkeyPatch,
    postgres_url: str,
    tmp_path: Path,
    tenant_id: UUID,
    statement: str,
    sentence: str,
) -> None:
    for unguarded in ("DISABLE TRIGGER USER", "NO FORCE ROW LEVEL SECURITY"):
        tamper(postgres_url, f"ALTER TABLE ledger_entries {unguarded}")
    tamper(postgres_url, statement)
    result = run_audit(monkeypatch, postgres_url, tmp_path)
    assert result.exit_code == 1
    assert f"Tenant {tenant_id}: {sentence}" in result.stdout
    as_json = run_audit(monkeypatch, postgres_url, tmp_path, "--json")
    assert as_json.exit_code == 1
    [only] = json.loads(as_json.stdout)
    assert (only["tenant_id"], only["day"]) == (str(tenant_id), DAY)
    assert all(each["kept"] != each["counted"] for each in only["figures"])


def test_a_difference_of_a_payment_exits_with_1_and_names_the_tenant_and_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, postgres_url: str, tmp_path: Path, tenant_id: UUID
) -> None:
    payment_id = uuid4()
    tamper(
        postgres_url,
        f"SET ROLE {SYSTEM_ROLE};"
        " INSERT INTO payments (id, tenant_id, kind, state, gateway, currency, subtotal_minor,"
        " tax_minor, total_minor, credit_micros, bonus_micros, taxes, gateway_payment_id,"
        f" resolved_at) VALUES ('{payment_id}', '{tenant_id}', 'checkout', 'succeeded', 'stripe',"
        " 'USD', 2000, 0, 2000, 20000000, 0, '[]', 'pi_1', now())",
    )
    result = run_audit(monkeypatch, postgres_url, tmp_path)
    assert result.exit_code == 1
    missing = f"the credit of payment {payment_id} is $20.000000, and its entry is missing"
    assert f"Tenant {tenant_id}: {missing}." in result.stdout.splitlines()
    as_json = run_audit(monkeypatch, postgres_url, tmp_path, "--json")
    assert as_json.exit_code == 1
    assert {"tenant_id": str(tenant_id), "day": None, "what": missing} in json.loads(as_json.stdout)


@pytest.mark.usefixtures("tenant_id")
def test_a_difference_of_all_invoices_numbers_exits_with_1_and_is_no_tenants(
    monkeypatch: pytest.MonkeyPatch, postgres_url: str, tmp_path: Path
) -> None:
    tamper(
        postgres_url,
        f"SET ROLE {SYSTEM_ROLE};"
        " INSERT INTO invoice_counters (prefix, year, last_number) VALUES ('INV', 2026, 3)",
    )
    result = run_audit(monkeypatch, postgres_url, tmp_path)
    assert result.exit_code == 1
    [line] = result.stdout.splitlines()
    assert "INV" in line
    assert "Tenant" not in line
    as_json = run_audit(monkeypatch, postgres_url, tmp_path, "--json")
    [only] = json.loads(as_json.stdout)
    assert (as_json.exit_code, only["tenant_id"], f"{only['what']}.") == (1, None, line)


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
