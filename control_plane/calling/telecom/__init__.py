"""What minutes on the phone network cost, and how much of it a tenant may spend, and where."""
