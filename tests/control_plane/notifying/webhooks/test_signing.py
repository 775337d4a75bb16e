"""Receivers written with nothing of ours verify the signatures of every event."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from contracts.sealing import CannotOpen, Sealer, derived_key
from control_plane.notifying.webhooks.event_names import EMITTED_EVENTS
from control_plane.notifying.webhooks.requests import (
    DeliveryRequest,
    current_secrets,
    delivery_request,
)
from control_plane.notifying.webhooks.samples import sample_data, sample_origin
from tests.stand_ins.webhook_receiver import Received

ID = UUID(int=7)
SECRET, OLD = "a secret with ümlauts and {braces}", "the secret before this one"
NODE_RECEIVER = """
const { createHmac, timingSafeEqual } = require("node:crypto");
const { secret, deliveries } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
for (const { headers, body } of deliveries) {
  const raw = Buffer.from(body, "base64");
  const signed = createHmac("sha256", secret)
    .update(headers["X-Svc-Timestamp"] + ".").update(raw).digest();
  const given = Buffer.from(headers["X-Svc-Signature"], "hex");
  if (!timingSafeEqual(signed, given)) throw new Error("wrong signature");
  if (JSON.parse(raw).event !== headers["X-Svc-Event"]) throw new Error("wrong event");
}
console.log(deliveries.length);
"""

NPM_RECEIVER = """
const { Webhook } = require("standardwebhooks");
const { secret, deliveries } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const library = new Webhook(secret);
for (const { headers, body } of deliveries) {
  const raw = Buffer.from(body, "base64").toString("utf8");
  if (library.verify(raw, headers).event !== headers["X-Svc-Event"]) throw new Error("wrong event");
  let refused = false;
  try { library.verify(raw + " ", headers); } catch { refused = true; }
  if (!refused) throw new Error("a changed body was accepted");
}
console.log(deliveries.length);
"""
HERE = Path(__file__).parent


def request(event: str, *, now: datetime, secrets: tuple[str, ...] = (SECRET,)) -> DeliveryRequest:
    return delivery_request(
        event=event,
        event_id=ID,
        origin=sample_origin(event),
        occurred_at=datetime(2026, 5, 3, 12, 30, tzinfo=UTC),
        data=sample_data(event, ID, ID) | {"note": "größer"},
        redaction_level="none",
        secrets=secrets,
        now=now,
    )


@pytest.mark.parametrize("event", EMITTED_EVENTS)
def test_pythons_hmac_verifies_every_event(event: str) -> None:
    sent = request(event, now=datetime.now(UTC))
    received = Received("/", {k.lower(): v for k, v in sent.headers.items()}, sent.body)
    assert received.is_signed_with(SECRET)
    assert not received.is_signed_with(OLD)
    assert received.document["event"] == sent.headers["X-Svc-Event"] == event
    assert ("type" in received.document) == (event not in ("call.started", "call.failed"))


def said_by_node(node: str, program: str, secret: str) -> str:
    """What a program of Node says that is given a delivery of each event."""
    sent = [request(event, now=datetime.now(UTC)) for event in EMITTED_EVENTS]
    given = {
        "secret": secret,
        "deliveries": [
            {"headers": each.headers, "body": base64.b64encode(each.body).decode()} for each in sent
        ],
    }
    done = subprocess.run(
        [node, "-e", program],
        cwd=HERE,
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.strip()


def test_nodes_crypto_verifies_every_event(require_program: Callable[..., str]) -> None:
    said = said_by_node(require_program("node"), NODE_RECEIVER, SECRET)
    assert said == str(len(EMITTED_EVENTS))


def test_the_npm_library_of_standard_webhooks_verifies_every_event(
    require_program: Callable[..., str],
) -> None:
    """As npm installs it from the committed lock."""
    node, npm = require_program("node"), require_program("npm")
    if not (HERE / "node_modules" / "standardwebhooks").exists():
        command = [npm, "ci", "--ignore-scripts"]
        subprocess.run(command, cwd=HERE, check=True, capture_output=True, timeout=120)
    secret = base64.b64encode(SECRET.encode()).decode()
    assert said_by_node(node, NPM_RECEIVER, secret) == str(len(EMITTED_EVENTS))


@pytest.mark.parametrize("event", EMITTED_EVENTS)
def test_the_library_of_standard_webhooks_verifies_every_event(event: str) -> None:
    sent = request(event, now=datetime.now(UTC))
    library = Webhook(base64.b64encode(SECRET.encode()).decode())
    assert library.verify(sent.body, sent.headers) == json.loads(sent.body)
    with pytest.raises(WebhookVerificationError):
        library.verify(sent.body + b" ", sent.headers)


def test_while_a_secret_is_rotated_both_verify() -> None:
    sent = request("call.failed", now=datetime.now(UTC), secrets=(SECRET, OLD))
    for secret in (SECRET, OLD):
        Webhook(base64.b64encode(secret.encode()).decode()).verify(sent.body, sent.headers)


def test_a_secret_that_cannot_be_decrypted_keeps_no_newer_one_from_signing() -> None:
    now = datetime.now(UTC)
    until = now + timedelta(hours=1)
    present, lost = (Sealer([derived_key(name)]) for name in ("present", "lost"))
    new, old = present.seal(SECRET), lost.seal(OLD)
    assert current_secrets(present, new, old, until, now) == [SECRET]
    with pytest.raises(CannotOpen):
        current_secrets(present, old, None, None, now)


def test_tries_differ_in_their_time_and_not_in_their_id_or_body() -> None:
    first = request("call.failed", now=datetime(2026, 5, 3, 12, 30, 1, tzinfo=UTC))
    second = request("call.failed", now=datetime(2026, 5, 3, 12, 30, 2, tzinfo=UTC))
    assert first.body == second.body
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.headers["X-Svc-Timestamp"] == "1777811401000"
    assert second.headers["X-Svc-Timestamp"] == "1777811402000"
