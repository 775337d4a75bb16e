"""Shares the processor of one process between those whose requests it answers."""
