"""What the API can do, one module a resource. Pure: each function describes one request."""
