"""Ids that begin with their time: UUIDs of version 7.

New rows stand side by side in an index, where random ids would touch a page each, and an id says
in which month's partition its rows are.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta
from uuid import UUID

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_VERSION, _VARIANT = 7, 0b10


def time_ordered_id(moment: datetime) -> UUID:
    """A UUID of version 7 for ``moment``. Ids of a later microsecond are greater.

    48 bits are the milliseconds since 1970, 12 bits the fraction of the millisecond, and 62 bits
    are random, so that nobody can guess an id from others.

    Source: RFC 9562, section 5.7 and method 3 of section 6.2.
    """
    milliseconds, microseconds = divmod((moment - _EPOCH) // timedelta(microseconds=1), 1000)
    fraction = (microseconds << 12) // 1000
    return UUID(
        int=milliseconds << 80
        | _VERSION << 76
        | fraction << 64
        | _VARIANT << 62
        | secrets.randbits(62)
    )
