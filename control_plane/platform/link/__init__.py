"""The control plane's side of Redis: plans and commands down, events and leases up."""
