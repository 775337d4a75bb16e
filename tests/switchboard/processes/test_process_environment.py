"""Each process gets the variables of its own settings, and no other secret."""

from __future__ import annotations

import pytest

from switchboard.processes.process_environment import READ_BY, needed_by, variables_of
from switchboard.services.command import is_of_the_system
from switchboard.settings import Settings

ONLY_OF_THE_SUPERVISOR = {
    # Given on the command line.
    "data_dir",
    "jobs_processes",
    # Given to the process that migrates, and to the others only if there is no other login.
    "database_url",
}


def test_every_setting_is_read_by_a_process() -> None:
    read = set().union(*READ_BY.values())
    assert read | ONLY_OF_THE_SUPERVISOR == set(Settings.model_fields)


@pytest.mark.parametrize(
    ("variable", "readers"),
    [
        ("SWITCHBOARD_SECRET_KEY", {"api", "jobs"}),
        ("switchboard_secret_key", {"api", "jobs"}),
        ("SWITCHBOARD_OPERATOR_TOKEN", {"api"}),
        ("SWITCHBOARD_TURN_SECRET", {"api", "worker"}),
        ("SWITCHBOARD_ENCRYPTION_KEYS", {"api", "jobs", "worker"}),
        ("SWITCHBOARD_SMTP_PASSWORD", {"api", "jobs"}),
        ("SWITCHBOARD_DATABASE_URL", set()),
        ("SWITCHBOARD_APP_DATABASE_URL", {"api", "jobs", "migrate"}),
        ("SWITCHBOARD_REDIS_URL", {"api", "jobs", "worker", "bridge"}),
        ("OPENAI_API_KEY", {"api", "jobs", "worker"}),
        ("SWITCHBOARD_OPENAI_API_KEY", {"api", "jobs", "worker"}),
        ("GEMINI_API_KEY", {"api", "jobs", "worker"}),
        ("AWS_SECRET_ACCESS_KEY", {"api", "jobs", "worker"}),
        ("GOOGLE_APPLICATION_CREDENTIALS", {"api", "jobs", "worker"}),
        ("OTEL_EXPORTER_OTLP_HEADERS", {"api", "jobs", "worker", "bridge", "models"}),
        ("SWITCHBOARD_MEDIA_PORTS", {"worker"}),
        ("SWITCHBOARD_LOG_LEVEL", set(READ_BY)),
        ("PGPASSWORD", {"api", "jobs", "migrate"}),
        ("PGSSLKEY", {"api", "jobs", "migrate"}),
        ("PGHOST", {"api", "jobs", "migrate"}),
        ("GITHUB_TOKEN", set()),
        ("TOKENIZERS_PARALLELISM", set(READ_BY)),
        ("DB_PASSWORD", set()),
        ("SSL_CERT_FILE", set(READ_BY)),
        ("PATH", set(READ_BY)),
    ],
)
def test_a_variable_reaches_the_processes_that_read_it(variable: str, readers: set[str]) -> None:
    assert {process for process in READ_BY if needed_by(process)(variable)} == readers


@pytest.mark.parametrize("field", Settings.model_fields)
def test_postgresql_and_valkey_get_none_of_our_settings(field: str) -> None:
    assert not any(is_of_the_system(variable) for variable in variables_of(field))
    assert not is_of_the_system("AWS_SECRET_ACCESS_KEY")
    assert is_of_the_system("PATH")
