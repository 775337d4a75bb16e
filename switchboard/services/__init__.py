"""PostgreSQL and Valkey from wheels, run under our own supervision."""
