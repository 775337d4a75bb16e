"""Ends the calls that nobody else will end."""
