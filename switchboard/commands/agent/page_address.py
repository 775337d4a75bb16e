"""An address at which people talk to an agent in a browser."""

from __future__ import annotations

from uuid import UUID

from switchboard.commands.api.session import Session

_NAME_LENGTH = 80


async def call_page_address(session: Session, agent_id: UUID | str, name: str) -> str:
    """Make a publishable key that can only call this agent, and return the call page's address
    with it. Whoever has the address can use the account's credit for calls to the agent, until the
    key is revoked."""
    key = await session.client.api_keys.create(
        {
            "name": f"Call page: {name}"[:_NAME_LENGTH],
            "kind": "publishable",
            "allowed_channels": ["web"],
            "allowed_agent_ids": [str(agent_id)],
        }
    )
    return f"{session.api_url}/call?agent={agent_id}#key={key.key}"
