"""Keeps the processes of one machine's Switchboard running, and ends them together."""
