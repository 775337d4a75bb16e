"""Keeps one machine's processes running, and stops them together."""
