"""Many calls at once over WebRTC: what callers hear, and what it costs."""
