"""Finds out what a prompt in plain words says about an agent, sentence by sentence."""
