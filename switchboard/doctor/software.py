"""Embedded servers, offline models, the audio codec, keys, microphone."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

from switchboard.doctor.finding import Finding, fail, ok, warn
from switchboard.services.postgres import PostgresNotInstalled, postgres_binary
from switchboard.services.valkey import ValkeyNotInstalled, valkey_binary
from switchboard.settings import Settings

_REINSTALL = "Run `make clean install`."
_OFFLINE_MODELS = {
    "moonshine_voice": "speech recognition",
    "hibari": "English voice",
    "espeakng_loader": "voices of other languages",
    "livekit.local_inference": "voice activity detection",
}

_LANGUAGE_MODELS = frozenset({"openai", "google", "anthropic"})


def postgres(settings: Settings) -> Finding:
    if settings.database_url is not None or settings.app_database_url is not None:
        return ok("PostgreSQL", "your own, at SWITCHBOARD_DATABASE_URL")
    try:
        return _runs("PostgreSQL", postgres_binary())
    except PostgresNotInstalled as problem:
        return fail("PostgreSQL", str(problem), f"{_REINSTALL} Or set SWITCHBOARD_DATABASE_URL.")


def valkey(settings: Settings) -> Finding:
    if settings.redis_url is not None:
        return ok("Valkey", "your own, at SWITCHBOARD_REDIS_URL")
    try:
        return _runs("Valkey", valkey_binary())
    except ValkeyNotInstalled as problem:
        return fail("Valkey", str(problem), f"{_REINSTALL} Or set SWITCHBOARD_REDIS_URL.")


def redis_version(settings: Settings) -> list[Finding]:
    """Of your own server; the embedded one is new enough."""
    if settings.redis_url is None:
        return []
    from link.server_version import ServerTooOld, server_version

    subject = "Redis version"
    try:
        version = server_version(settings.redis_url)
    except ServerTooOld as problem:
        return [fail(subject, str(problem), "Upgrade the server at SWITCHBOARD_REDIS_URL.")]
    except ValueError as problem:
        return [fail(subject, str(problem), "Set SWITCHBOARD_REDIS_URL to redis://host:port.")]
    if version is None:
        return [warn(subject, "it does not answer", "Start the server at SWITCHBOARD_REDIS_URL.")]
    return [ok(subject, version)]


def offline_models(settings: Settings) -> Finding:
    missing = [what for module, what in _OFFLINE_MODELS.items() if not _installed(module)]
    if not missing:
        return ok("Models", f"installed: {', '.join(_OFFLINE_MODELS.values())}")
    found = f"not installed: {', '.join(missing)}"
    if settings.provider_keys:
        return warn("Models", found, f"Calls that do not use your keys need them. {_REINSTALL}")
    return fail("Models", found, _REINSTALL)


def languages(settings: Settings) -> Finding:
    """What agents understand that have no language model of a provider."""
    subject = "Languages"
    if _LANGUAGE_MODELS & settings.provider_keys:
        return ok(
            subject, "those of your providers' models; offline agents understand English only"
        )
    return ok(subject, "English only, because there is no provider's language model")


def opus() -> Finding:
    """The codec of the callers' audio. It comes with PyAV."""
    from runtime.media.audio.libopus import OpusMissing, libopus

    try:
        libopus()
    except (OpusMissing, OSError) as problem:
        return fail("Opus", str(problem), _REINSTALL)
    return ok("Opus", "libopus can be loaded")


def keys(settings: Settings) -> list[Finding]:
    """Keys are optional: the offline models can hold every conversation."""
    return [
        ok(name, "key is set")
        if provider in settings.provider_keys
        else ok(name, f"no {variable}; the offline models are used")
        for name, provider, variable in (
            ("OpenAI", "openai", "OPENAI_API_KEY"),
            ("Google", "google", "GOOGLE_API_KEY"),
            ("Anthropic", "anthropic", "ANTHROPIC_API_KEY"),
            ("Deepgram", "deepgram", "DEEPGRAM_API_KEY"),
            ("ElevenLabs", "elevenlabs", "ELEVENLABS_API_KEY"),
            ("Cartesia", "cartesia", "CARTESIA_API_KEY"),
        )
    ]


def microphone() -> Finding:
    """For ``switchboard call --mic``. The call page uses the browser's microphone."""
    subject = "Microphone"
    if not _installed("sounddevice"):
        return warn(
            subject,
            "the command line cannot use one (sounddevice is not installed)",
            "Use the call page; the browser asks for permission to use the microphone.",
        )
    probe = "import sounddevice as s; print(s.query_devices(kind='input')['name'])"
    try:
        done = subprocess.run(
            [sys.executable, "-c", probe], capture_output=True, text=True, timeout=20, check=False
        )
    except subprocess.TimeoutExpired as error:
        return warn(
            subject,
            f"the machine's audio did not answer within {error.timeout:.0f} s",
            "Restart its sound service, or use the call page.",
        )
    if done.returncode == 0:
        return ok(subject, done.stdout.strip())
    if "PortAudio library not found" in done.stderr:
        return warn(subject, "PortAudio is not installed", "apt-get install libportaudio2")
    allow = (
        "Allow it for your terminal: System Settings, Privacy & Security, Microphone."
        if sys.platform == "darwin"
        else "Connect one; your user may have to be in the group `audio`."
    )
    return warn(subject, "none was found", f"{allow} Or use the call page.")


def _runs(subject: str, binary: Path) -> Finding:
    try:
        done = subprocess.run(
            [str(binary), "--version"], capture_output=True, text=True, timeout=10, check=False
        )
    except OSError as error:
        return fail(subject, f"{binary} cannot be run: {error.strerror}", _REINSTALL)
    except subprocess.TimeoutExpired as error:
        return fail(
            subject,
            f"{binary} did not answer within {error.timeout:.0f} s",
            f"See what keeps the machine or its disk busy, and try again. {_REINSTALL}",
        )
    if done.returncode != 0:
        return fail(subject, f"{binary} does not run here: {done.stderr.strip()}", _REINSTALL)
    return ok(subject, done.stdout.strip().split(" sha=")[0])


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
