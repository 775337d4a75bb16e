"""Watching a call while it runs."""
