"""Searching passages: by meaning, by words, and by both."""
