"""Accounts at phone carriers: the tenants' own, and the installation's."""
