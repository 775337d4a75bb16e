"""Jobs of the dialing queue."""
