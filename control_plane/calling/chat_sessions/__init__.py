"""Chats: talking to an agent in text, at once and free, to try it."""
