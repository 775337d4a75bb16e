"""Which of our environment variables each process gets: those of its own settings, and no other
secret. A process that is broken into gives away only its own secrets."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from pydantic import AliasChoices

from carriers.account import CarrierName
from contracts.ice_settings import IceSettings
from control_plane.platform.settings import ControlPlaneOptions
from runtime.settings import WorkerOptions
from switchboard.settings import Settings
from switchboard.vendor_access import VendorAccess
from telemetry.settings import TelemetryOptions

_LOGGING = frozenset({"log_level", "log_format"})
_WATCHED = _LOGGING | TelemetryOptions.model_fields.keys()
_VENDORS = VendorAccess.model_fields.keys()
_LOGINS = frozenset({"app_database_url", "system_database_url"})
_MAIL = frozenset(
    name for name in Settings.model_fields if name.startswith(("smtp_", "mail_", "sms_"))
)
_SHARED = frozenset({"redis_url", "object_store_url", "encryption_keys", "embedding_model"})
_CARRIERS = frozenset({"bridge_public_url", *(f"{name}_base_url" for name in CarrierName)})
_CONTROL_PLANE = (
    _WATCHED | _CARRIERS | _VENDORS | _LOGINS | _SHARED | ControlPlaneOptions.model_fields.keys()
    | {
        *("secret_key", "public_url", "builder_model"),
        *("phone_calls_per_tenant", "phone_calls_per_number", "ring_timeout_seconds"),
        *("post_call_provider", "post_call_openai_model", "post_call_google_model"),
    }
)  # fmt: skip

_DEADLINES = frozenset(
    {
        *("provider_connect_seconds", "provider_idle_seconds"),
        *("llm_first_token_seconds", "tts_first_audio_seconds"),
        *("stt_no_text_seconds", "stt_final_seconds", "realtime_first_audio_seconds"),
    }
)

READ_BY: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "api": _CONTROL_PLANE | _MAIL | {"host", "port"},
        # The operator's routes are in the API, and callers ask it for ICE servers.
        "jobs": (_CONTROL_PLANE | _MAIL) - {"operator_token"} - IceSettings.model_fields.keys(),
        "worker": (
            _WATCHED
            | _VENDORS
            | _SHARED
            | _DEADLINES
            | WorkerOptions.model_fields.keys()
            | {"worker_processes", "worker_niceness", "outbound_allowed_networks"}
        ),
        "bridge": (
            _WATCHED
            | _CARRIERS
            | {"redis_url", "bridge_host", "bridge_port", "bridge_id", "bridge_account_key"}
            | {"drain_timeout_seconds"}
        ),
        "models": _WATCHED,
        "control-plane": _LOGGING,
        "migrate": _LOGGING | _LOGINS,
        "caller": _LOGGING,
    }
)
"""By process, the fields of ``Settings`` that it reads. The owner's login of the database is not
handed on: ``up`` gives it to the process that needs it."""

_OF_THE_STORE = re.compile(r"(AWS|AZURE|GOOGLE)_(?!\w*API_KEY)\w+", re.IGNORECASE)
"""Credentials for recordings, in the vendors' own variables."""
_READS_THE_STORE = frozenset({"api", "jobs", "worker"})
_OF_LIBPQ = re.compile(r"PG[A-Z]+")
"""PostgreSQL's client library reads what an address does not say."""
_READS_THE_DATABASE = frozenset({"api", "jobs", "migrate"})
# TOKENIZERS_PARALLELISM is no secret.
_LOOKS_SECRET = re.compile(r"KEY|TOKEN(?!IZERS)|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)


def variables_of(field: str) -> tuple[str, ...]:
    """The names under which ``Settings`` reads a field."""
    alias = Settings.model_fields[field].validation_alias
    if isinstance(alias, AliasChoices):
        return tuple(str(choice) for choice in alias.choices)
    return (f"SWITCHBOARD_{field.upper()}",)


_FIELD_OF: Mapping[str, str] = {
    variable: field for field in Settings.model_fields for variable in variables_of(field)
}


def needed_by(process: str) -> Callable[[str], bool]:
    """Whether a process (a key of ``READ_BY``) gets the variable with a name.

    Variables that are not ours pass, unless they look like a secret.
    """

    def is_needed(variable: str) -> bool:
        field = _FIELD_OF.get(variable.upper())
        if field is not None:
            return field in READ_BY[process]
        if _OF_THE_STORE.fullmatch(variable):
            return process in _READS_THE_STORE
        if _OF_LIBPQ.fullmatch(variable):
            return process in _READS_THE_DATABASE
        if variable.upper().startswith("OTEL_"):
            return "otlp_endpoint" in READ_BY[process]
        return not _LOOKS_SECRET.search(variable)

    return is_needed
