"""Writes agents from a description in plain words, with a language model or without one."""
