"""Calls: created with a frozen plan, kept up to date by worker events, read over the API."""
