"""``switchboard demo --phone``: a carrier on this machine, and a call to our number there."""
