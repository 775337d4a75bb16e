"""Erasing the personal data of a caller, and what every tenant keeps for how long."""
