"""What gateways report: received, kept, applied."""
