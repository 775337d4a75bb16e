"""Jobs that look into calls that are over."""
