"""What the operator has switched off: agents, or all calls."""
