"""Telling those who asked what has happened: webhooks and notifications."""
