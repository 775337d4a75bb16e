"""``POST /v1/agents/apply-changes``."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from control_plane.building.agents.changes.apply_changes import Mode, apply_changes
from control_plane.building.catalogue import repository as catalogue_repository
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.platform.http.openapi import problems

router = APIRouter(prefix="/v1/agents", tags=["agents"], responses=problems(*MEMBER_ONLY))


class FieldValue(BaseModel):
    model_config = ConfigDict(extra="forbid")
    key: Annotated[str, Field(max_length=200, examples=["maxCallDuration"])]
    value: Any


class ApplyChanges(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "currentConfig": {"name": "Front desk", "opener": "Hello!", "llm_model": "gpt-4.1"},
                "changes": [
                    {"key": "playbook.opener", "value": "Good day!"},
                    {"key": "maxCallDuration", "value": 900},
                ],
                "mode": "edit",
            }
        },
    )
    currentConfig: dict[str, Any] = Field(
        default_factory=dict,
        description="Values by key: a path (`persona.companyName`), or the last name alone where "
        "it is one of persona, playbook, advanced or features and no other field has it "
        "(`companyName`). Nested objects are accepted as well.",
    )
    changes: Annotated[list[FieldValue], Field(max_length=500)]
    mode: Mode = Field(
        "create",
        description="`edit` refuses agent_kind, managed_sku_id, the custom_* fields and tools.",
    )
    lenient: bool = Field(
        False, description="Leave unknown keys out with a warning, instead of applying nothing."
    )


class FieldFault(BaseModel):
    field: str
    message: str


class ChangesApplied(BaseModel):
    """All changes are applied, or none."""

    valid: bool
    config: dict[str, Any] = Field(
        description="`currentConfig` with the changes, flat, under the keys that were sent."
    )
    applied: list[FieldValue] = Field(
        description="The changes and what they implied: another provider clears the model, "
        "a realtime model clears speech, a language joins supported_languages."
    )
    update: dict[str, Any] = Field(
        description="What was applied, as the body of an update of the agent."
    )
    errors: list[FieldFault]
    warnings: list[str]


@router.post("/apply-changes")
async def apply_changes_to_config(
    wanted: ApplyChanges, _caller: MemberCaller, session: TenantSession
) -> ChangesApplied:
    """Check changes to a configuration and work out what follows from them. Saves nothing.

    Types are enforced to the letter, and `maxCallDuration` between 30 and 7200 s.
    """
    catalogue = await catalogue_repository.stack_catalogue(session)
    realtime = {entry.model for entry in catalogue.models if entry.is_realtime}
    outcome = apply_changes(
        wanted.currentConfig,
        [(change.key, change.value) for change in wanted.changes],
        wanted.mode,
        lenient=wanted.lenient,
        is_realtime=realtime.__contains__,
    )
    return ChangesApplied(
        valid=not outcome.errors,
        config=outcome.config,
        applied=[FieldValue(key=key, value=value) for key, value in outcome.applied],
        update=outcome.update,
        errors=[FieldFault(**fault) for fault in outcome.errors],
        warnings=outcome.warnings,
    )
