"""Every metric of every process. ``docs/metrics.md`` is generated from this file.

Durations are in seconds and names follow Prometheus's conventions. The values of each label are
listed here, so that the number of series is bounded.
"""

from __future__ import annotations

from collections.abc import Collection

from contracts.call_status import TERMINAL_STATUSES, CallStatus
from contracts.dial_outcome import DialOutcome
from contracts.end_reasons import EndReason
from contracts.heartbeat import WHY_CLAIMS_NOTHING
from telemetry.declarations import Declarations
from telemetry.process_name import ProcessName

_API, _JOBS = ProcessName.API, ProcessName.JOBS
_WORKER, _BRIDGE = ProcessName.WORKER, ProcessName.BRIDGE
_MODELS = ProcessName.MODELS
_EVERY_PROCESS = tuple(ProcessName)

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
OTHER = "other"
"""Stands for every value that is not listed."""
PROVIDERS = (
    *("local", "openai", "google", "anthropic", "deepgram", "elevenlabs", "cartesia"),
    *("openai_compatible", "custom"),
    OTHER,
)
CHANNELS = ("stt", "llm", "tts", "realtime", OTHER)
RUNNING_STATUSES = tuple(each.value for each in CallStatus if each not in TERMINAL_STATUSES)
UNREACHED = tuple(f"carrier_{outcome.value}" for outcome in DialOutcome)
"""The end reasons of phones that were not reached, without the carrier's name."""
QUEUES = ("default", "patient", "recordings", "knowledge")
MODELS = ("moonshine", "hibari", "espeak", "end_of_turn")
"""Those of the model process."""

SHARES = ("within", "beyond")

_SETUP = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60)
_TURN = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10)
_REQUEST = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
_STALL = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1)
_WORK = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)


def listed(value: str, values: Collection[str]) -> str:
    """``value`` if it is one of ``values``, otherwise ``OTHER``."""
    return value if value in values else OTHER


declared = Declarations()

# -- every process ---------------------------------------------------------------------------------

LOOP_LAG = declared.histogram(
    "loop_lag_seconds",
    "How late the event loop runs what is due, measured four times a second.",
    _EVERY_PROCESS,
    buckets=_STALL,
)

# -- requests --------------------------------------------------------------------------------------

HTTP_REQUESTS = declared.histogram(
    "http_request_seconds",
    "Time from a request to the end of its response, by method and class of the status.",
    (_API,),
    {"method": (*METHODS, OTHER), "status": ("2xx", "3xx", "4xx", "5xx", "none")},
    buckets=_REQUEST,
)

# -- calls, as the database has them ---------------------------------------------------------------

CALLS = declared.gauge(
    "calls",
    "Calls that are not over, by status.",
    (_JOBS,),
    {"status": RUNNING_STATUSES},
)
CALLS_ENDED = declared.counter(
    "calls_ended_total",
    "Calls that this process has ended and settled, by end reason. A phone that was not reached "
    "counts as `carrier_…`.",
    (_API, _JOBS),
    {"end_reason": (*(each.value for each in EndReason), *UNREACHED)},
)
DISPATCH_AGE = declared.gauge(
    "dispatch_age_seconds",
    "Age of the oldest offer of a call that no worker has finished; 0 without one.",
    (_JOBS,),
)
WAITING_CALLS = declared.gauge(
    "waiting_calls",
    "Calls that wait for their tenants' turns to be put on the dispatch stream.",
    (_JOBS,),
)
STREAM_LAG = declared.gauge(
    "stream_lag_seconds",
    "Age of the oldest entry of a stream that is not applied; 0 without one.",
    (_JOBS,),
    {"stream": ("events", "dial_reports")},
)
STREAM_ENTRIES = declared.gauge(
    "stream_entries",
    "Entries of a stream that are not finished.",
    (_JOBS,),
    {"stream": ("dispatch", "events", "dial_reports")},
)
PARKED_EVENTS = declared.gauge(
    "parked_events",
    "Events that could not be applied and are kept for the operator, counted up to 10,000.",
    (_JOBS,),
)
OUTBOX_AGE = declared.gauge(
    "outbox_age_seconds",
    "Age of the oldest fact in the outbox of which no deliveries were made yet; 0 without one.",
    (_JOBS,),
)
JOB_QUEUE = declared.gauge(
    "job_queue_jobs",
    "Jobs in a queue: `todo` waits, `doing` runs, `failed` will not be tried again. Counted up to "
    "10,000 each.",
    (_JOBS,),
    {"queue": (*QUEUES, OTHER), "status": ("todo", "doing", "failed")},
)
JOB_QUEUE_AGE = declared.gauge(
    "job_queue_age_seconds",
    "How long the oldest waiting job has been due; 0 without one.",
    (_JOBS,),
)
DATABASE_MEASURED_AT = declared.gauge(
    "database_measured_timestamp_seconds",
    "Unix time at which the gauges of the database and of the streams were last brought up to "
    "date; 0 if never.",
    (_JOBS,),
)

# -- money -----------------------------------------------------------------------------------------

RESERVE_FAILURES = declared.counter(
    "reserve_failures_total",
    "Reserves that the balance did not cover: the `first` one of a call, which is then refused, or "
    "an `extension`, after which the call ends with its paid time and a phone is not dialed.",
    (_API, _JOBS),
    {"operation": ("first", "extension")},
)
BOOKS_UNBALANCED = declared.gauge(
    "books_unbalanced_accounts",
    "Accounts whose totals were not the sums of their ledgers in this process's last audit. Above "
    "0 is a bug.",
    (_JOBS,),
)
BOOKS_AUDITED_AT = declared.gauge(
    "books_audited_timestamp_seconds",
    "Unix time of this process's last audit of the books; 0 if it has made none.",
    (_JOBS,),
)

# -- the conversation ------------------------------------------------------------------------------

SLOTS = declared.gauge("slots", "Calls that this worker can run at once.", (_WORKER,))
SLOTS_USED = declared.gauge(
    "slots_used",
    "Slots of this worker that calls hold, or that are reserved for calls claimed a moment ago.",
    (_WORKER,),
)
CALLS_WAITING = declared.gauge(
    "calls_waiting", "Calls of this worker that nobody has made an offer for yet.", (_WORKER,)
)
CLAIMS_NOTHING = declared.gauge(
    "claims_nothing",
    "1 while this worker claims no calls for a reason, although it may have free slots: its "
    "journals are full or cannot be written, frames are late, its event loop or the local models "
    "are behind, or too many of its calls wait for their first participant.",
    (_WORKER,),
    {"reason": WHY_CLAIMS_NOTHING},
)
UNSETTLED_CALLS = declared.gauge(
    "unsettled_calls",
    "Calls of this worker whose events are not all applied: those that run, and those that are "
    "over.",
    (_WORKER,),
)
CALL_SETUP = declared.histogram(
    "call_setup_seconds",
    "Setup of a call by stage: `dispatch` from the offer to the worker's claim, `room` from there "
    "to the open room, `agent` from there until the agent listens, `join` from the open room to "
    "the first participant's media.",
    (_WORKER,),
    {"stage": ("dispatch", "room", "agent", "join")},
    buckets=_SETUP,
)
DISPATCH_WAIT = declared.histogram(
    "dispatch_wait_seconds",
    "From a call's offer to the worker's claim. `within` its tenant's share: no more of the "
    "tenant's own calls waited before it than begin in one turn. Dispatch is fair while these wait "
    "shortly, however long those `beyond` it wait.",
    (_WORKER,),
    {"share": (*SHARES, OTHER)},
    buckets=_SETUP,
)
VOICE_TO_VOICE = declared.histogram(
    "voice_to_voice_seconds",
    "From the caller's last word to the first sound of the agent's answer.",
    (_WORKER,),
    buckets=_TURN,
)
TURN_STAGES = declared.histogram(
    "turn_stage_seconds",
    "Parts of a turn: `transcription` and `end_of_turn` from the caller's last word, "
    "`llm_first_token` and `tts_first_byte` each from its own request.",
    (_WORKER,),
    {"stage": ("transcription", "end_of_turn", "llm_first_token", "tts_first_byte")},
    buckets=_TURN,
)
FRAME_LATENESS = declared.histogram(
    "frame_lateness_seconds",
    "How late a room's 20 ms frame is mixed.",
    (_WORKER,),
    buckets=_STALL,
)
PACKETS_DROPPED = declared.counter(
    "media_packets_dropped_total",
    "Datagrams to a caller's port that were not let through: from a `stranger`'s address, "
    "`malformed`, `failed` with an exception, or `too_much` to keep.",
    (_WORKER,),
    {"reason": ("stranger", "malformed", "failed", "too_much")},
)
PHONE_MESSAGES_DROPPED = declared.counter(
    "phone_messages_dropped_total",
    "Messages of bridges about phone legs that a worker could not read.",
    (_WORKER,),
)
PHONE_LEGS = declared.gauge(
    "phone_legs", "Phone legs whose media runs through this bridge.", (_BRIDGE,)
)
PHONE_FRAMES_DROPPED = declared.counter(
    "phone_frames_dropped_total",
    "Frames of 20 ms that were not sent on because 200 ms of sound waited already.",
    (_BRIDGE,),
)
CARRIER_REQUESTS = declared.counter(
    "carrier_requests_total",
    "Carriers' webhooks and media websockets, by what became of them: `accepted`, `repeated`, "
    "`refused` for their signature, `unknown` account, or `failed`.",
    (_BRIDGE,),
    {"outcome": ("accepted", "repeated", "refused", "unknown", "failed")},
)
PROVIDER_ERRORS = declared.counter(
    "provider_errors_total",
    "Errors of models' providers, also those after which a second attempt succeeded.",
    (_API, _JOBS, _WORKER),
    {"provider": PROVIDERS, "channel": CHANNELS},
)

TOOL_CALLS = declared.counter(
    "tool_calls_total",
    "How often a language model used a tool of its agent.",
    (_WORKER,),
    {"outcome": ("done", "failed")},
)

PROVIDER_SWITCHES = declared.counter(
    "provider_switches_total",
    "How often another model, or the platform's own words, took over from a model of this provider "
    "within a call.",
    (_WORKER,),
    {"provider": PROVIDERS, "channel": CHANNELS},
)

# -- the models of this machine --------------------------------------------------------------------

MODEL_WAIT = declared.histogram(
    "model_wait_seconds",
    "How long an utterance, a sentence to speak or a prediction waited for its turn at a model.",
    (_MODELS,),
    {"model": MODELS},
    buckets=_WORK,
)
MODEL_WORK = declared.histogram(
    "model_work_seconds",
    "How long a model worked on a piece of work.",
    (_MODELS,),
    {"model": MODELS},
    buckets=_WORK,
)
MODEL_QUEUE_AGE = declared.gauge(
    "model_queue_age_seconds",
    "How long the oldest piece of work has been waiting for its turn at a model; 0 if none waits.",
    (_MODELS,),
    {"model": MODELS},
)

# -- phones ----------------------------------------------------------------------------------------

DIAL_ATTEMPTS = declared.gauge(
    "dial_attempts", "Attempts to reach a phone that this bridge has under way.", (_BRIDGE,)
)
DIAL_ATTEMPTS_ENDED = declared.counter(
    "dial_attempts_ended_total",
    "Attempts of this bridge that are over, by outcome; `answered` if somebody answered.",
    (_BRIDGE,),
    {"outcome": ("answered", *(outcome.value for outcome in DialOutcome))},
)
