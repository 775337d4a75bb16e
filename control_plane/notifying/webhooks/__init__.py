"""Webhooks: a tenant's addresses, and the signed events that they are sent."""
