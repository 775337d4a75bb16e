from __future__ import annotations

import pytest
from cryptography.fernet import Fernet
from pydantic import ValidationError

from switchboard.settings import Settings


@pytest.mark.parametrize(("key", "size"), [("short", 5), ("x" * 31, 31), ("ü" * 15, 30)])
def test_a_short_secret_key_is_refused_with_a_way_to_make_one(key: str, size: int) -> None:
    with pytest.raises(ValidationError) as refused:
        Settings(secret_key=key)
    [error] = refused.value.errors()
    assert error["loc"] == ("secret_key",)
    assert f"has {size} bytes, and must have 32 or more" in error["msg"]
    assert "openssl rand -hex 32" in error["msg"]
    assert key not in str(refused.value)


def test_a_secret_key_of_32_bytes_is_long_enough() -> None:
    assert Settings(secret_key="ü" * 16).secret_key == "ü" * 16


def test_an_encryption_key_that_is_none_is_refused_at_the_start_and_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    good = Fernet.generate_key().decode()
    monkeypatch.setenv("SWITCHBOARD_ENCRYPTION_KEYS", f"{good},a-password")
    with pytest.raises(ValidationError, match="key 2 is no Fernet key; make one with") as refused:
        Settings()
    assert "a-password" not in str(refused.value)


def test_a_key_of_a_bridge_that_is_none_is_refused_and_not_shown() -> None:
    with pytest.raises(ValidationError, match="switchboard encryption bridge-key") as refused:
        Settings(bridge_account_key="a-password")
    assert "a-password" not in str(refused.value)
