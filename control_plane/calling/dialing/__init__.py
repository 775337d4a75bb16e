"""Phone legs that wait to be dialed, and the attempts to reach them."""
