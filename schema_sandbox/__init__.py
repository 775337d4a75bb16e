"""Applies tenants' JSON Schemas in a child process."""
