"""``/v1/operator/catalogue``: the operator's edits of the catalogue."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, status

from control_plane.building.catalogue import (
    editing,
    price_repository,
    repository,
    unit_price_repository,
)
from control_plane.building.catalogue.errors import CatalogueEntryNotFound, PriceExists
from control_plane.building.catalogue.models import CatalogueModel, CatalogueVoice, ManagedSku
from control_plane.building.catalogue.operator_schemas import (
    EditedModel,
    EditedModels,
    EditedSku,
    EditedSkus,
    EditedVoice,
    EditedVoices,
    EntrySaved,
    ModelEdit,
    ModelSwitch,
    PriceCreate,
    PriceCreated,
    PriceHistory,
    PriceView,
    SkuEdit,
    SkuSwitch,
    VoiceEdit,
    VoiceSwitch,
)
from control_plane.building.catalogue.rows import sku_document
from control_plane.building.catalogue.unit_price_editing import add_unit_price
from control_plane.building.catalogue.unit_price_schemas import (
    UnitPriceCreate,
    UnitPriceCreated,
    UnitPriceHistory,
    UnitPriceView,
)
from control_plane.identity.authentication.dependencies import OperatorSession
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerOperatorKey
from control_plane.platform.http.openapi import AUTHENTICATED, problems

router = APIRouter(
    prefix="/v1/operator/catalogue",
    tags=["operator"],
    responses=problems(*AUTHENTICATED),
    route_class=IdempotentRoute,
)

_Text = Annotated[str | None, Query(max_length=200)]


@router.get("/models")
async def list_models(session: OperatorSession) -> EditedModels:
    """List every model, inactive ones included, best first."""
    rows = await repository.list_models(session, with_inactive=True)
    return EditedModels(models=[EditedModel.model_validate(row) for row in rows])


@router.put("/models")
async def save_model(wanted: ModelEdit, session: OperatorSession) -> EntrySaved:
    """Add or replace a model. From then on data files do not change it."""
    return EntrySaved(edited_at=await editing.save_model(session, wanted))


@router.patch("/models", responses=problems(CatalogueEntryNotFound))
async def switch_model(wanted: ModelSwitch, session: OperatorSession) -> EntrySaved:
    """Activate or deactivate a model."""
    key = {"provider": wanted.provider, "model": wanted.model}
    edited_at = await editing.switch(session, CatalogueModel, key, is_active=wanted.is_active)
    return EntrySaved(edited_at=edited_at)


@router.get("/voices")
async def list_voices(session: OperatorSession, provider: _Text = None) -> EditedVoices:
    """List every voice, inactive ones included."""
    rows = await repository.list_voices(session, provider=provider, with_inactive=True)
    return EditedVoices(voices=[EditedVoice.model_validate(row) for row in rows])


@router.put("/voices")
async def save_voice(wanted: VoiceEdit, session: OperatorSession) -> EntrySaved:
    """Add or replace a voice. From then on data files do not change it."""
    return EntrySaved(edited_at=await editing.save_voice(session, wanted))


@router.patch("/voices", responses=problems(CatalogueEntryNotFound))
async def switch_voice(wanted: VoiceSwitch, session: OperatorSession) -> EntrySaved:
    """Activate or deactivate a voice."""
    key = {"provider": wanted.provider, "id": wanted.id}
    edited_at = await editing.switch(session, CatalogueVoice, key, is_active=wanted.is_active)
    return EntrySaved(edited_at=edited_at)


@router.get("/skus")
async def list_skus(session: OperatorSession) -> EditedSkus:
    """List every managed SKU, inactive ones included."""
    rows = await repository.list_skus(session, with_inactive=True)
    return EditedSkus(skus=[EditedSku.model_validate(sku_document(row)) for row in rows])


@router.put("/skus")
async def save_sku(wanted: SkuEdit, session: OperatorSession) -> EntrySaved:
    """Add or replace a managed SKU. From then on data files do not change it."""
    return EntrySaved(edited_at=await editing.save_sku(session, wanted))


@router.patch("/skus", responses=problems(CatalogueEntryNotFound))
async def switch_sku(wanted: SkuSwitch, session: OperatorSession) -> EntrySaved:
    """Activate or deactivate a managed SKU. Agents that use an inactive one cannot be called."""
    key = {"id": wanted.id}
    edited_at = await editing.switch(session, ManagedSku, key, is_active=wanted.is_active)
    return EntrySaved(edited_at=edited_at)


@router.get("/prices")
async def list_prices(
    session: OperatorSession, provider: _Text = None, model: _Text = None
) -> PriceHistory:
    """List every past, current and future price."""
    rows = await price_repository.list_prices(session, provider=provider, model=model)
    return PriceHistory(prices=[PriceView.model_validate(row) for row in rows])


@router.post("/prices", status_code=status.HTTP_201_CREATED, responses=problems(PriceExists))
async def add_price(
    wanted: PriceCreate, session: OperatorSession, _: OncePerOperatorKey
) -> PriceCreated:
    """Replace a price, from now or a later time on. Calls that exist keep their prices."""
    row = await editing.add_price(session, wanted)
    return PriceCreated(price=PriceView.model_validate(row))


@router.get("/unit-prices")
async def list_unit_prices(
    session: OperatorSession, provider: _Text = None, model: _Text = None
) -> UnitPriceHistory:
    """List what providers billed you, bill you and will bill you for the use of models."""
    rows = await unit_price_repository.list_unit_prices(session, provider=provider, model=model)
    return UnitPriceHistory(unit_prices=[UnitPriceView.model_validate(row) for row in rows])


@router.post("/unit-prices", status_code=status.HTTP_201_CREATED, responses=problems(PriceExists))
async def post_unit_price(
    wanted: UnitPriceCreate, session: OperatorSession, _: OncePerOperatorKey
) -> UnitPriceCreated:
    """Say what a provider bills you for a model, from now or a later time on. Nobody is charged
    more or less for it, and calls that exist keep the unit prices that they began with."""
    row = await add_unit_price(session, wanted)
    return UnitPriceCreated(unit_price=UnitPriceView.model_validate(row))
