"""What the agents of a call look up in their knowledge sources."""
