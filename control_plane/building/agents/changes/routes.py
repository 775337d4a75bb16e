"""``POST /v1/agents/apply-changes``."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, StrictBool

from contracts.clearable import Clearable
from control_plane.building.agents.changes.apply_changes import Mode, apply_changes
from control_plane.building.agents.changes.saving import checked_for_saving, fields_to_save
from control_plane.building.agents.tenant_addresses import TenantLookUp
from control_plane.building.agents.tenant_json_schemas import check_ahead
from control_plane.building.catalogue import repository as catalogue_repository
from control_plane.building.provider_keys.dependencies import available_keys
from control_plane.identity.authentication.dependencies import MemberCaller
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
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
    currentConfig: Clearable[dict[str, Any]] = Field(
        default_factory=dict,
        description="Values by key. A key is a path (`persona.companyName`). For a field of "
        "persona, playbook, advanced or features the last name is enough if no other field "
        "has it (`companyName`). Nested objects are accepted, too.",
    )
    changes: Annotated[list[FieldValue], Field(max_length=500)]
    mode: Mode = Field(
        "create",
        description="`edit` refuses agent_kind, managed_sku_id, the custom_* fields and tools.",
    )
    lenient: StrictBool = Field(
        False, description="Leave unknown keys out with a warning, instead of applying nothing."
    )


class FieldFault(BaseModel):
    field: str
    message: str


class ChangesApplied(BaseModel):
    """Either all changes are applied, or none."""

    valid: bool
    config: dict[str, Any] = Field(
        description="`currentConfig` with the changes: flat, under the keys that you sent. "
        "Creating and updating an agent take it as it is."
    )
    applied: list[FieldValue] = Field(
        description="The changes and those that they implied: a new provider clears the model, "
        "a realtime model clears providers and models of speech, a language is added to "
        "supported_languages."
    )
    update: dict[str, Any] = Field(
        description="The applied changes as a body for `PATCH /v1/agents/{agent_id}`."
    )
    errors: list[FieldFault]
    warnings: list[str]


@router.post("/apply-changes")
async def apply_changes_to_config(
    wanted: ApplyChanges,
    caller: MemberCaller,
    database: AppDatabase,
    settings: AppSettings,
    look_up: TenantLookUp,
) -> ChangesApplied:
    """Check changes to a configuration and work out what they imply. Nothing is saved.

    What is valid here can be saved: mode `create` checks what creating an agent checks, and mode
    `edit` what an update checks. `maxCallDuration` must also be 30 to 7200 s.
    """
    async with database.tenant_session(caller.tenant_id) as session:
        catalogue = await catalogue_repository.stack_catalogue(session)
        keys = await available_keys(session, caller.tenant_id, settings)
    realtime = {entry.model for entry in catalogue.models if entry.is_realtime}
    outcome = apply_changes(
        wanted.currentConfig,
        [(change.key, change.value) for change in wanted.changes],
        wanted.mode,
        lenient=wanted.lenient,
        is_realtime=realtime.__contains__,
    )
    sent = {} if outcome.errors else fields_to_save(outcome, wanted.mode)
    faults = await look_up.faults(sent)
    await check_ahead(sent, caller.tenant_id)
    async with database.tenant_session(caller.tenant_id) as session:
        outcome = await checked_for_saving(
            session,
            caller,
            wanted.currentConfig,
            outcome,
            wanted.mode,
            catalogue,
            keys,
            faults,
        )
    return ChangesApplied(
        valid=not outcome.errors,
        config=outcome.config,
        applied=[FieldValue(key=key, value=value) for key, value in outcome.applied],
        update=outcome.update,
        errors=[FieldFault(**fault) for fault in outcome.errors],
        warnings=outcome.warnings,
    )
