"""How long a tenant keeps what its calls leave behind."""
