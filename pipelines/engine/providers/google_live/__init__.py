"""Google's models that listen, think and speak, over its Live API (one websocket per call).

We tell the model when the caller's turns begin and end. The engine's plugin for the API asks for
each answer twice then (https://github.com/livekit/agents/issues/5408), so Google's SDK is used
directly.

Sources: https://ai.google.dev/gemini-api/docs/live-guide, https://ai.google.dev/api/live
"""
