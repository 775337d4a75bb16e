"""Requests that may be sent again."""
