"""Limits tenants' JSON Schemas, and applies them in a child process."""
