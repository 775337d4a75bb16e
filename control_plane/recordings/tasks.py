"""Jobs of recordings."""
