"""Many phone calls asked for at once."""
