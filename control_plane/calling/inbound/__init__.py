"""Calls to our numbers: whether they are taken, and by which agent."""
