"""The knowledge base of a persona is a knowledge source of its own kind."""

from __future__ import annotations

from alembic import op

revision = "0089"
down_revision = "0088"


def upgrade() -> None:
    name = "ck_knowledge_sources_kind"
    op.execute(f"ALTER TABLE knowledge_sources DROP CONSTRAINT {name}")
    op.execute(
        f"ALTER TABLE knowledge_sources ADD CONSTRAINT {name}"
        " CHECK (kind IN ('text', 'url', 'file', 'persona')) NOT VALID"
    )
    op.execute(f"ALTER TABLE knowledge_sources VALIDATE CONSTRAINT {name}")
    op.execute(
        "CREATE UNIQUE INDEX uq_knowledge_sources_knowledge_base ON knowledge_sources (agent_id)"
        " WHERE kind = 'persona'"
    )
