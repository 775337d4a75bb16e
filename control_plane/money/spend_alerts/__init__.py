"""Alerts about what a tenant spends: each is raised once."""
