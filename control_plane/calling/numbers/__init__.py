"""Phone numbers that tenants call from."""
