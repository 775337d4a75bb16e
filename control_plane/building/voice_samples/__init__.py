"""Hearing a provider's voice before an agent speaks with it."""
