"""Takes part in a call from Python, with audio in both directions. Needs the extra ``webrtc``."""
