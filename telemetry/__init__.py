"""What an operator can see of running processes: metrics, health and traces."""
