"""``/v1/erasures``: a caller's data is erased everywhere, and the proof says so."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from sqlalchemy import select, text, update

from contracts.events import Logged, SlotsCollected, ToolCalled, TranscriptSegment
from control_plane.calling.batches.models import BatchRow, CallBatch
from control_plane.calling.calls.models import CallParticipant, ParkedEvent
from control_plane.calling.dialing.models import INBOUND, DialingJob, JobState
from control_plane.calling.erasure.models import Erasure
from control_plane.calling.erasure.tasks import MOST_ATTEMPTS, erase_caller
from control_plane.jobs import JOBS_AT_ONCE
from control_plane.platform.database import Database
from control_plane.platform.job_queue import job_queue, job_resources
from tests.control_plane.calling.recordings.recorded_call import RecordedCall, flac
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import CALLER, catch_up, create_call
from tests.control_plane.fake_worker import FakeWorker

PERSONAL = "Nightingale"
"""Stands in everything that the caller says and that is noted of her."""
SEGMENT = TranscriptSegment(
    sequence=0,
    speaker="user",
    text=f"I am Ms {PERSONAL}",
    started_at_ms=0,
    ended_at_ms=900,
    interrupted=False,
)


async def run_jobs(call: RecordedCall) -> None:
    """All that are due."""
    await job_queue.run_worker_async(
        queues=list(JOBS_AT_ONCE),
        wait=False,
        install_signal_handlers=False,
        additional_context=job_resources(call.database, call.settings),
    )


async def erase(tenant: TenantClient, **wanted: Any) -> httpx2.Response:
    return await tenant.post("/v1/erasures", wanted)


async def begin_last_try(database: Database) -> None:
    """Of the jobs that erase."""
    async with database.system_session() as session:
        await session.execute(
            text(
                "UPDATE procrastinate_jobs SET attempts = :attempts, scheduled_at = NULL"
                " WHERE task_name = :task"
            ),
            {"attempts": MOST_ATTEMPTS, "task": erase_caller.name},
        )


async def sealed_callers(database: Database) -> list[str | None]:
    async with database.system_session() as session:
        return list(await session.scalars(select(Erasure.sealed_caller)))


async def everything(database: Database) -> dict[str, str]:
    """The text of all rows, by table."""
    async with database.system_session() as session:
        tables = await session.scalars(
            text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        )
        found = {}
        for table in tables:
            if await session.scalar(text(f"SELECT has_table_privilege('{table}', 'SELECT')")):
                rows = await session.scalars(text(f"SELECT t::text FROM {table} t"))
                found[table] = "\n".join(rows)
        return found


async def tables_with(database: Database, part: str) -> set[str]:
    return {table for table, rows in (await everything(database)).items() if part in rows}


@pytest.fixture
async def talked(call: RecordedCall) -> RecordedCall:
    """A recorded call in which the caller gave her name; it is over, and its jobs are done."""
    await call.worker.ship(
        call.plan,
        SEGMENT,
        SlotsCollected(slots={"name": PERSONAL}),
        ToolCalled(name="book", output=f"Booked for {PERSONAL}"),
        Logged(level="info", message=f"{PERSONAL} was patient"),
    )
    await call.completed()
    await run_jobs(call)
    async with call.database.system_session() as session:
        await session.execute(
            text(
                "UPDATE calls SET client_address = :name,"
                " metadata = jsonb_build_object('name', CAST(:name AS text))"
            ),
            {"name": PERSONAL},
        )
        await session.execute(
            text(
                "UPDATE calls SET plan = plan"
                " || jsonb_build_object('variables', jsonb_build_object('n', CAST(:n AS text)),"
                " 'compiled_prompt', CAST(:n AS text), 'handoffs', jsonb_build_array(plan - ARRAY["
                "'call_id', 'tenant_id', 'room_name', 'created_at', 'version', 'limits',"
                " 'participants', 'sealed_provider_keys', 'variables', 'metadata', 'post_call']"
                " || jsonb_build_object('compiled_prompt', CAST(:n AS text))))"
            ),
            {"n": PERSONAL},
        )
        session.add(
            ParkedEvent(
                stream_entry_id="1-1",
                reason="test",
                document=json.dumps({"call_id": str(call.call_id), "text": PERSONAL}),
            )
        )
    return call


async def test_nothing_personal_is_left_in_any_table_or_object(
    talked: RecordedCall, database: Database
) -> None:
    tenant = talked.tenant
    before = await tables_with(database, PERSONAL)
    assert before >= {
        "calls",
        "transcript_segments",
        "call_log_entries",
        "parked_events",
    }
    assert "call_participants" in await tables_with(database, CALLER["identity"])
    assert [*talked.objects.rglob("*.wav")]

    asked = await erase(tenant, identity=CALLER["identity"], reason="Letter of 3 May")
    assert asked.status_code == 202, asked.text
    await run_jobs(talked)

    assert await tables_with(database, PERSONAL) == set()
    assert f",{CALLER['identity']}," not in (await everything(database))["call_participants"]
    assert [path for path in talked.objects.rglob("*") if path.is_file()] == []
    done = (await tenant.get(f"/v1/erasures/{asked.json()['id']}")).json()
    assert (done["status"], done["calls"], done["waits_for"]) == ("completed", 1, None)


async def test_the_call_and_its_charge_stay_and_every_view_of_the_call_works(
    talked: RecordedCall,
) -> None:
    tenant, path = talked.tenant, f"/v1/calls/{talked.call_id}"
    before = (await tenant.get(path)).json()
    balance = (await tenant.get("/v1/billing/balance")).json()
    await erase(tenant, identity=CALLER["identity"])
    await run_jobs(talked)

    after = (await tenant.get(path)).json()
    assert (await tenant.get("/v1/billing/balance")).json() == balance
    kept = ("id", "status", "started_at", "ended_at", "total_cost", "bill_duration", "end_reason")
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert after["metadata"] == {}
    assert [each["identity"] for each in after["participants"]] == ["erased"]
    assert (await tenant.get("/v1/calls")).json()["calls"][0]["id"] == str(talked.call_id)
    assert (await tenant.get(f"{path}/recording")).status_code == 404
    assert (await tenant.get(f"{path}/events")).json()["events"] == []


async def test_the_proof_says_what_was_erased_and_the_audit_log_has_its_hash(
    talked: RecordedCall,
) -> None:
    tenant = talked.tenant
    asked = (await erase(tenant, identity=CALLER["identity"], reason="Letter")).json()
    path = f"/v1/erasures/{asked['id']}"
    early = await tenant.get(f"{path}/proof")
    assert (early.status_code, early.json()["code"]) == (404, "erasure_proof_not_available")
    await run_jobs(talked)

    answer = await tenant.get(f"{path}/proof")
    proof = answer.json()
    [of_call] = proof["calls"]
    assert of_call["call_id"] == str(talked.call_id)
    tables = {name: found["rows"] for name, found in of_call["tables"].items()}
    assert tables["transcript_segments"] == tables["recordings"] == tables["parked_events"] == 1
    assert len(of_call["tables"]["transcript_segments"]["sha256"]) == 64
    assert sorted(each["path"].rpartition("/")[2] for each in of_call["objects"]) == [
        "stereo_mix.ogg",
        "stereo_mix.wav",
    ]
    assert proof["totals"]["rows"]["transcript_segments"] == 1
    assert proof["totals"]["bytes"] > 0
    assert proof["requested_by"]["kind"] == "secret_key"
    assert {"ledger_entries", "audit_entries", "do_not_call_numbers"} <= set(proof["kept"])
    assert f'"{CALLER["identity"]}"' not in answer.text

    sha256 = hashlib.sha256(answer.content).hexdigest()
    assert (await tenant.get(path)).json()["proof_sha256"] == sha256
    log = (await tenant.get("/v1/audit-log?action=erasure")).json()["entries"]
    assert [entry["action"] for entry in log] == ["erasure.completed", "erasure.requested"]
    assert log[0]["changes"] == {"calls": 1, "proof_sha256": sha256}
    listed = (await tenant.get("/v1/erasures")).json()
    assert [each["id"] for each in listed["erasures"]] == [asked["id"]]


async def test_the_proof_names_everything_that_the_docs_say_stays(talked: RecordedCall) -> None:
    asked = (await erase(talked.tenant, identity=CALLER["identity"])).json()
    await run_jobs(talked)
    proof = (await talked.tenant.get(f"/v1/erasures/{asked['id']}/proof")).json()
    assert set(proof["kept"]) >= {
        "ledger_entries",
        "audit_entries",
        "do_not_call_numbers",
        "webhook_tries",
        "answered_requests",
        "live streams",
        "built-in voices",
        "webhook receivers",
    }


async def test_a_caller_whose_call_is_not_over_is_409(call: RecordedCall) -> None:
    refused = await erase(call.tenant, identity=CALLER["identity"])
    assert (refused.status_code, refused.json()["code"]) == (409, "caller_in_call")
    assert refused.json()["call_ids"] == [str(call.call_id)]


async def test_a_call_that_began_meanwhile_is_waited_for(
    talked: RecordedCall, worker: FakeWorker
) -> None:
    tenant = talked.tenant
    asked = (await erase(tenant, identity=CALLER["identity"])).json()
    await create_call(tenant, talked.plan.agent_id)
    await run_jobs(talked)
    waiting = (await tenant.get(f"/v1/erasures/{asked['id']}")).json()
    assert (waiting["status"], waiting["calls"]) == ("running", 1)
    assert waiting["waits_for"].startswith("1 calls of this caller run")


async def test_the_caller_is_forgotten_if_the_calls_never_end(
    talked: RecordedCall, worker: FakeWorker
) -> None:
    tenant = talked.tenant
    asked = (await erase(tenant, identity=CALLER["identity"])).json()
    await create_call(tenant, talked.plan.agent_id)
    await begin_last_try(talked.database)
    await run_jobs(talked)
    given_up = (await tenant.get(f"/v1/erasures/{asked['id']}")).json()
    assert given_up["status"] == "failed"
    assert given_up["waits_for"].startswith("1 calls of this caller run")
    assert given_up["waits_for"].endswith("; end them and ask again")
    assert await sealed_callers(talked.database) == [None]


async def test_the_caller_is_forgotten_if_the_store_stays_away(talked: RecordedCall) -> None:
    asked = (await erase(talked.tenant, identity=CALLER["identity"])).json()
    talked.lose_store()
    await run_jobs(talked)
    path = f"/v1/erasures/{asked['id']}"
    assert (await talked.tenant.get(path)).json()["status"] == "running"
    await begin_last_try(talked.database)
    await run_jobs(talked)
    given_up = (await talked.tenant.get(path)).json()
    assert (given_up["status"], given_up["waits_for"]) == (
        "failed",
        "The erasure failed too often; ask again",
    )
    assert await sealed_callers(talked.database) == [None]


async def test_calls_that_are_over_are_not_why_an_erasure_fails(
    talked: RecordedCall, worker: FakeWorker
) -> None:
    tenant = talked.tenant
    asked = (await erase(tenant, identity=CALLER["identity"])).json()
    path = f"/v1/erasures/{asked['id']}"
    later = (await create_call(tenant, talked.plan.agent_id))["id"]
    await run_jobs(talked)
    assert "1 calls" in (await tenant.get(path)).json()["waits_for"]

    assert (await tenant.post(f"/v1/calls/{later}/end")).is_success
    talked.lose_store()
    await begin_last_try(talked.database)
    await run_jobs(talked)
    given_up = (await tenant.get(path)).json()
    assert (given_up["status"], given_up["waits_for"]) == (
        "failed",
        "The erasure failed too often; ask again",
    )


async def test_what_a_worker_sends_later_does_not_come_back(
    talked: RecordedCall, database: Database
) -> None:
    await erase(talked.tenant, identity=CALLER["identity"])
    await run_jobs(talked)
    late = SEGMENT.model_copy(update={"sequence": 1})
    await talked.worker.ship(talked.plan, late, Logged(level="info", message=PERSONAL))
    await catch_up(talked.consumer)
    talked.store(5000, flac(50))

    assert await tables_with(database, PERSONAL) == set()
    async with database.system_session() as session:
        await session.execute(
            text("UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE status = 'todo'")
        )
    await run_jobs(talked)
    assert [path for path in talked.objects.rglob("*") if path.is_file()] == []


async def test_other_callers_and_other_tenants_keep_theirs(
    talked: RecordedCall, other_tenant: TenantClient, database: Database
) -> None:
    await erase(talked.tenant, identity="ad")
    assert (await erase(other_tenant, identity=CALLER["identity"])).status_code == 202
    await run_jobs(talked)
    assert "transcript_segments" in await tables_with(database, PERSONAL)
    assert [*talked.objects.rglob("*.wav")]


async def test_the_number_of_somebody_who_called_us_is_removed_from_the_dialing_queue(
    talked: RecordedCall, database: Database
) -> None:
    theirs, ours, tenant = "+14155550142", "+14155550100", talked.tenant
    path = f"/v1/calls/{talked.call_id}"
    async with database.system_session() as session:
        person = await session.scalar(
            update(CallParticipant)
            .where(CallParticipant.call_id == talked.call_id)
            .values(identity=theirs, transport="pstn")
            .returning(CallParticipant.id)
        )
        session.add(
            DialingJob(
                tenant_id=tenant.tenant_id,
                call_id=talked.call_id,
                participant_id=person,
                direction=INBOUND,
                carrier="twilio",
                from_number=theirs,
                to_number=ours,
                priority=0,
                schedule={},
                retry={},
                state=JobState.COMPLETED,
                due_at=datetime.now(UTC),
                give_up_at=datetime.now(UTC),
            )
        )
    assert theirs in (await tenant.get(f"{path}/legs")).text
    asked = (await erase(tenant, number=theirs)).json()
    await run_jobs(talked)

    [leg] = (await tenant.get(f"{path}/legs")).json()["legs"]
    assert (leg["from_number"], leg["to_number"]) == ("erased", ours)
    assert theirs not in (await tenant.get(path)).text
    assert "dialing_jobs" not in await tables_with(database, theirs)
    proof = (await tenant.get(f"/v1/erasures/{asked['id']}/proof")).json()
    assert proof["totals"]["rows"]["dialing_jobs"] == 1


async def test_a_number_is_removed_from_batches_and_not_called_any_more(
    talked: RecordedCall, database: Database
) -> None:
    number, tenant = "+14155550123", talked.tenant
    batch_id = uuid4()
    async with database.tenant_session(tenant.tenant_id) as session:
        session.add(
            CallBatch(
                id=batch_id, tenant_id=tenant.tenant_id, agent_id=talked.plan.agent_id, request={}
            )
        )
        await session.flush()
        for position, to in enumerate((number, "+14155550124")):
            session.add(
                BatchRow(
                    batch_id=batch_id,
                    position=position,
                    tenant_id=tenant.tenant_id,
                    recipient={"to": to, "variables": {"name": PERSONAL}},
                )
            )
    await tenant.post("/v1/do-not-call", {"number": number})
    assert (await erase(tenant, number="+1 (415) 555-0123")).status_code == 202
    await run_jobs(talked)

    rows = (await tenant.get(f"/v1/calls/batch/{batch_id}/recipients")).json()["recipients"]
    assert [(row["to"], row["status"]) for row in rows] == [
        ("erased", "canceled"),
        ("+14155550124", "waiting"),
    ]
    with_number = await tables_with(database, number)
    assert with_number == {"do_not_call_numbers", "audit_entries"}


@pytest.mark.parametrize(
    "wanted", [{}, {"number": "+14155550123", "identity": "ada"}, {"number": "x"}, {"identity": ""}]
)
async def test_a_request_names_one_caller(tenant: TenantClient, wanted: dict[str, str]) -> None:
    assert (await erase(tenant, **wanted)).status_code == 400


async def test_a_caller_without_calls_gets_a_proof_too(talked: RecordedCall) -> None:
    asked = (await erase(talked.tenant, identity="nobody")).json()
    await run_jobs(talked)
    proof = (await talked.tenant.get(f"/v1/erasures/{asked['id']}/proof")).json()
    assert (proof["totals"]["calls"], proof["calls"]) == (0, [])
    assert UUID(proof["erasure_id"]) == UUID(asked["id"])
