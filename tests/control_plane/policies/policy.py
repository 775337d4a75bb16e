"""Who may use a route, for the walks over every route."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

SECRET_NAME = "Project Nightingale"
"""Stands in every text of the victim's records that its owner can write."""


class Access(Enum):
    EVERYONE = auto()
    """No key; shows nothing of any tenant. ``refused_with`` is the status for anybody: what such a
    route asks for instead, a password or a mailed token, is wrong in ``body``."""
    OPERATOR = auto()
    """The installation's token."""
    ADMIN = auto()
    """A secret key, or a dashboard session of an owner or admin."""
    MEMBER = auto()
    """A secret key, or a dashboard session of any role."""
    ANY_KEY = auto()
    """Publishable keys too."""
    SESSION = auto()
    """A dashboard session; no key."""
    CALL_TOKEN = auto()
    """The access token of one participant of the call."""


@dataclass(frozen=True)
class Policy:
    access: Access
    refused_with: int | None = None
    """Status for a stranger's key with foreign ids; ``None``: the route answers with the stranger's
    own records."""
    body: Mapping[str, Any] = field(default_factory=dict)
    """JSON to send. ``"{agent_id}"`` stands for the foreign agent's id."""
    content: str | None = None
    """Text to send instead, as ``text/csv``."""
    query: str = ""
    names_records: bool = True
    """Whether the answer to the owner says anything by which a record is known."""


Policies = dict[tuple[str, str], Policy]
"""By method and path."""

EVERYONE = Policy(Access.EVERYONE)
OWN_RECORDS = Policy(Access.MEMBER)
FOREIGN_IS_404 = Policy(Access.MEMBER, refused_with=404)
ADMINS_OWN_RECORDS = Policy(Access.ADMIN)
ADMINS_FOREIGN_IS_404 = Policy(Access.ADMIN, refused_with=404)
