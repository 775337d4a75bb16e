"""Reads an agent's free-text prompt: the first rule that matches a sentence takes it."""
