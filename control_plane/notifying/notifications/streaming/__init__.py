"""Notifications as server-sent events."""
