"""The proof of an erasure: what was erased where, when and by whom, and what was kept. Pure."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from control_plane.calling.erasure.models import ErasedCall, Erasure

KEPT = {
    "calls": "When the call was, how long it lasted, how it ended and what it cost. Its plan keeps "
    "the agent's settings, without the caller, the variables and the filled prompt.",
    "call_participants": "The caller's row, with 'erased' as its identity.",
    "ledger_entries": "The charges. They name the call, not the caller, and the law asks for them.",
    "ledger_references": "What each entry of the ledger is for, so that no call is charged twice.",
    "audit_entries": "What users and keys of the tenant did. They name records by their ids; "
    "changes of the do-not-call list name the number.",
    "do_not_call_numbers": "A number on the do-not-call list stays there, so that it is not called "
    "again. Remove it with DELETE /v1/do-not-call/{number}.",
    "answered_requests": "Answers to repeated requests are encrypted and deleted after 24 hours.",
    "webhook_tries": "The beginnings of what the tenant's own systems answered to webhooks, which "
    "may repeat what was sent, are deleted after 30 days.",
    "live streams": "Redis forgets the messages of a call's live view one hour after its end.",
    "built-in voices": "Workers forget the sound of what these have said after ten minutes.",
    "webhook receivers": "What was sent to the tenant's own systems is theirs to erase.",
}
"""By place, what stays and why."""


def proof_of(
    erasure: Erasure, calls: Sequence[ErasedCall], recipients: int, completed_at: datetime
) -> str:
    """The document as JSON text, with its members sorted.

    Args:
        calls: what was erased of each call.
        recipients: rows of batches from which the number was removed.
    """
    rows: Counter[str] = Counter(call_batch_rows=recipients)
    for call in calls:
        rows.update({table: removed["rows"] for table, removed in call.erased.items()})
    objects = [each for call in calls for each in call.objects]
    document: dict[str, Any] = {
        "version": 1,
        "erasure_id": str(erasure.id),
        "tenant_id": str(erasure.tenant_id),
        "caller_hmac": erasure.caller_hmac,
        "reason": erasure.reason,
        "requested_by": erasure.requested_by,
        "requested_at": erasure.requested_at.isoformat(),
        "completed_at": completed_at.isoformat(),
        "totals": {
            "calls": len(calls),
            "rows": dict(rows),
            "objects": len(objects),
            "bytes": sum(each["bytes"] for each in objects),
        },
        "calls": [
            {
                "call_id": str(call.call_id),
                "erased_at": call.erased_at.isoformat(),
                "tables": call.erased,
                "objects": call.objects,
            }
            for call in calls
        ],
        "kept": KEPT,
    }
    return json.dumps(document, sort_keys=True, indent=1)


def sha256_of(proof: str) -> str:
    return hashlib.sha256(proof.encode()).hexdigest()
