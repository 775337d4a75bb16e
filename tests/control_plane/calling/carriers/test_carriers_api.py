"""A tenant connects its accounts at carriers; the installation has accounts of its own."""

from __future__ import annotations

import asyncio
import json
from uuid import UUID

from cryptography.fernet import Fernet
from redis.asyncio import Redis
from structlog.testing import capture_logs

from carriers.api import CarrierProblem, ProblemKind
from contracts import redis_names
from contracts.carrier_accounts import CarrierAccount
from contracts.sealing import Sealer, bridge_key
from contracts.versions import read_json
from control_plane.calling.carriers.models import CarrierAccountRecord
from control_plane.calling.carriers.publication import reconcile
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.carriers_apart import PLIVO, TWILIO, FakeAccess
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.runtime.until import until


async def connect(tenant: TenantClient, **fields: object) -> dict[str, object]:
    answer = await tenant.post(
        "/v1/carriers", {"provider": "twilio", "credentials": TWILIO} | fields
    )
    assert answer.status_code == 201, answer.text
    made: dict[str, object] = answer.json()["carrier"]
    return made


async def of_bridges(redis: Redis, account_id: object) -> CarrierAccount | None:
    document = await redis.hget(redis_names.CARRIER_ACCOUNTS, str(account_id))
    return None if document is None else read_json(CarrierAccount, document)


async def test_an_account_is_connected_and_its_secret_is_never_shown(
    tenant: TenantClient, access: FakeAccess, database: Database
) -> None:
    made = await connect(tenant)
    assert (made["status"], made["is_default"], made["name"]) == ("verified", True, "Twilio")
    assert made["identifiers"] == {"account_sid": TWILIO["account_sid"]}
    for answer in (
        await tenant.get("/v1/carriers"),
        await tenant.get(f"/v1/carriers/{made['id']}"),
    ):
        assert answer.status_code == 200, answer.text
        assert TWILIO["auth_token"] not in answer.text
    async with database.system_session() as session:
        stored = await session.get(CarrierAccountRecord, UUID(str(made["id"])))
    assert stored is not None
    assert TWILIO["auth_token"] not in stored.sealed_credentials


async def test_the_bridges_get_the_account_sealed_with_their_own_key(
    tenant: TenantClient, access: FakeAccess, redis: Redis, settings: ControlPlaneSettings
) -> None:
    made = await connect(tenant, refuse_with="busy")
    document = await of_bridges(redis, made["id"])
    assert document is not None
    assert (document.tenant_id, document.refuse_with) == (tenant.tenant_id, "busy")
    sealer = Sealer([bridge_key(settings.secret_key)])
    opened = json.loads(sealer.open(document.sealed_credentials))
    assert opened == {"provider": "twilio"} | TWILIO


async def test_what_a_carrier_says_is_wrong_is_told_in_words(
    tenant: TenantClient, access: FakeAccess
) -> None:
    access.twilio.verify_problem = CarrierProblem(
        ProblemKind.WRONG_CREDENTIALS, "Twilio does not accept the auth token."
    )
    made = await connect(tenant)
    assert (made["status"], made["problem"]) == ("failed", "Twilio does not accept the auth token.")
    access.twilio.verify_problem = None
    answer = await tenant.post(f"/v1/carriers/{made['id']}/verify")
    assert answer.status_code == 200, answer.text
    assert (answer.json()["ok"], answer.json()["carrier"]["status"]) == (True, "verified")


async def test_what_a_carrier_says_of_old_credentials_says_nothing_of_new_ones(
    tenant: TenantClient, access: FakeAccess
) -> None:
    made = await connect(tenant)
    path = f"/v1/carriers/{made['id']}"
    access.twilio.wrong_secrets.add(TWILIO["auth_token"])
    access.twilio.answers.clear()
    asked = access.twilio.asked
    verifying = asyncio.create_task(tenant.post(f"{path}/verify"))
    await until(lambda: access.twilio.asked == asked + 1)
    right = {"credentials": TWILIO | {"auth_token": "a-right-token"}}
    assert (await tenant.request("PATCH", path, json=right)).status_code == 200
    access.twilio.answers.set()
    verified = (await verifying).json()
    assert (verified["ok"], verified["carrier"]["status"]) == (True, "verified")


async def test_what_the_carrier_has_made_for_us_is_kept(
    tenant: TenantClient, access: FakeAccess, redis: Redis
) -> None:
    made = await connect(tenant, provider="plivo", credentials=PLIVO)
    answer = await tenant.get(f"/v1/carriers/{made['id']}")
    assert answer.json()["identifiers"] == {
        "auth_id": PLIVO["auth_id"],
        "application_id": "made-for-us",
    }
    document = await of_bridges(redis, made["id"])
    assert document is not None
    assert document.revision == 2


async def test_two_set_ups_of_an_account_at_once_make_one_application(
    tenant: TenantClient, access: FakeAccess
) -> None:
    access.plivo.verify_problem = CarrierProblem(ProblemKind.UNREACHABLE, "Not now.")
    made = await connect(tenant, provider="plivo", credentials=PLIVO)
    access.plivo.verify_problem = None
    access.plivo.answers.clear()
    before = access.plivo.asked
    path = f"/v1/carriers/{made['id']}/verify"
    both = [asyncio.create_task(tenant.post(path)) for _ in range(2)]
    await until(lambda: access.plivo.asked == before + 2)
    access.plivo.answers.set()
    assert [each.json()["ok"] for each in await asyncio.gather(*both)] == [True, True]
    assert access.plivo.applications_made == 1


async def test_wrong_credentials_are_refused_without_repeating_them(tenant: TenantClient) -> None:
    answer = await tenant.post(
        "/v1/carriers",
        {"provider": "twilio", "credentials": {"account_sid": "nonsense-of-mine", "pin": 1}},
    )
    assert answer.status_code == 400
    problem = answer.json()
    assert {each["field"] for each in problem["errors"]} == {
        "credentials.account_sid",
        "credentials.auth_token",
        "credentials.pin",
    }
    assert "nonsense-of-mine" not in answer.text


async def test_there_is_one_default(tenant: TenantClient, access: FakeAccess) -> None:
    first = await connect(tenant)
    second = await connect(tenant, is_default=True, name="Second")
    listed = (await tenant.get("/v1/carriers")).json()["carriers"]
    assert {each["id"]: each["is_default"] for each in listed} == {
        first["id"]: False,
        second["id"]: True,
    }


async def test_a_change_reaches_the_bridges_and_a_deletion_too(
    tenant: TenantClient, access: FakeAccess, redis: Redis
) -> None:
    made = await connect(tenant)
    answer = await tenant.request(
        "PATCH", f"/v1/carriers/{made['id']}", json={"refuse_with": "reject"}
    )
    assert answer.status_code == 200, answer.text
    document = await of_bridges(redis, made["id"])
    assert document is not None
    assert (document.revision, document.refuse_with) == (2, "reject")
    answer = await tenant.request("DELETE", f"/v1/carriers/{made['id']}")
    assert answer.json() == {"status": "deleted", "id": made["id"]}
    assert await of_bridges(redis, made["id"]) is None
    assert (await tenant.get(f"/v1/carriers/{made['id']}")).status_code == 404


async def test_accounts_that_redis_has_lost_are_written_again(
    tenant: TenantClient,
    access: FakeAccess,
    redis: Redis,
    database: Database,
    settings: ControlPlaneSettings,
) -> None:
    made = await connect(tenant)
    await redis.delete(redis_names.CARRIER_ACCOUNTS)
    stranger = UUID(int=1)
    await redis.hset(redis_names.CARRIER_ACCOUNTS, str(stranger), "not a document")
    assert await reconcile(database, redis, settings, set()) >= 2
    assert await of_bridges(redis, made["id"]) is not None
    assert not await redis.hexists(redis_names.CARRIER_ACCOUNTS, str(stranger))
    assert await reconcile(database, redis, settings, set()) == 0


async def test_credentials_that_nobody_can_open_are_logged_once(
    tenant: TenantClient,
    access: FakeAccess,
    redis: Redis,
    database: Database,
    settings: ControlPlaneSettings,
) -> None:
    made = await connect(tenant)
    await redis.hdel(redis_names.CARRIER_ACCOUNTS, str(made["id"]))
    strangers = settings.model_copy(update={"encryption_keys": (Fernet.generate_key().decode(),)})
    unreadable: set[UUID] = set()
    with capture_logs() as logs:
        for _ in range(2):
            await reconcile(database, redis, strangers, unreadable)
    told = [each["event"] for each in logs if each.get("account") == made["id"]]
    assert told == ["carrier_credentials_cannot_be_opened"]
    assert UUID(str(made["id"])) in unreadable
    await reconcile(database, redis, settings, set())
    assert await of_bridges(redis, made["id"]) is not None


async def test_the_operator_sets_the_installations_own_account(
    tenant: TenantClient, access: FakeAccess, redis: Redis
) -> None:
    answer = await tenant.http.put(
        "/v1/operator/carriers/twilio", headers=OPERATOR, json={"credentials": TWILIO}
    )
    assert answer.status_code == 200, answer.text
    made = answer.json()["carrier"]
    again = await tenant.http.put(
        "/v1/operator/carriers/twilio", headers=OPERATOR, json={"credentials": TWILIO}
    )
    assert again.json()["carrier"]["id"] == made["id"]
    document = await of_bridges(redis, made["id"])
    assert document is not None
    assert document.tenant_id is None
    assert (await tenant.get("/v1/carriers")).json()["total"] == 0
    answer = await tenant.http.delete("/v1/operator/carriers/twilio", headers=OPERATOR)
    assert answer.status_code == 200, answer.text
