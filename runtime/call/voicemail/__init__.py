"""Whether a person or an answering machine has answered the phone that we dialed."""
