"""A client of the Model Context Protocol, and how its servers' tools get into a call."""
