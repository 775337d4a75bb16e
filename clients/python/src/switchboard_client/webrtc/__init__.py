"""Taking part in a call from Python, with audio in and out. Needs the extra ``webrtc``."""
