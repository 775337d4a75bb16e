"""Points in time come as text."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from contracts.json_types import Timestamp


class Sent(BaseModel):
    at: Timestamp | None = None


@pytest.mark.parametrize("at", ["2026-03-02T08:00:00Z", "2026-03-02T10:00:00+02:00"])
def test_a_point_in_time_is_iso_8601(at: str) -> None:
    assert Sent.model_validate({"at": at}).at == datetime(2026, 3, 2, 8, tzinfo=UTC)


@pytest.mark.parametrize("at", [1_772_438_400, 1_772_438_400.5, "1772438400", "-1", True])
def test_seconds_since_1970_are_no_point_in_time(at: Any) -> None:
    with pytest.raises(ValidationError) as refused:
        Sent.model_validate({"at": at})
    assert refused.value.errors()[0]["type"] == "datetime_type"
