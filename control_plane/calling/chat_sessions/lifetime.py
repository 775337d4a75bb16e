"""How long chats last, and how large they get. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

IDLE = timedelta(hours=1)
"""A chat expires when it has had no message for so long."""
MOST_CHATS = 100
"""Of one tenant, ended ones included."""
MOST_MESSAGES = 200
"""Of caller and agent in one chat."""
REPLY_SECONDS = 60.0
"""For one reply, with all that it needs of models and tools."""
HOLD = timedelta(seconds=REPLY_SECONDS + 20)
"""How long a process has a chat for itself to answer a message. If it dies, the chat can be
answered again after that."""


def expiry(last_message_at: datetime) -> datetime:
    return last_message_at + IDLE
