"""Sending events, again and again if need be, without one endpoint holding up another."""
