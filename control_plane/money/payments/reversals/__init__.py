"""Money that goes back: refunds and disputes."""
