from __future__ import annotations

import pytest

from switchboard import migration_stamp
from switchboard.migration_stamp import fingerprint, is_migrated, stamp


def test_a_database_is_not_migrated_until_it_is_stamped(postgres_url: str) -> None:
    assert not is_migrated(postgres_url)
    stamp(postgres_url)
    assert is_migrated(postgres_url)


def test_a_changed_schema_is_noticed(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stamp(postgres_url)
    monkeypatch.setattr(migration_stamp, "fingerprint", lambda: "switchboard schema newer")
    assert not is_migrated(postgres_url)


def test_the_fingerprint_covers_migrations_and_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = migration_stamp._SOURCES
    whole = fingerprint()
    for left_out in ("migrations", "building/catalogue"):
        kept = tuple(source for source in sources if source != left_out)
        assert len(kept) == len(sources) - 1
        monkeypatch.setattr(migration_stamp, "_SOURCES", kept)
        assert fingerprint() != whole


def test_a_source_that_has_moved_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migration_stamp, "_SOURCES", ("migrations", "catalogue-of-old"))
    with pytest.raises(FileNotFoundError, match="catalogue-of-old"):
        fingerprint()
