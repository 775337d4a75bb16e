"""Recordings of calls; their audio is in the object store."""
