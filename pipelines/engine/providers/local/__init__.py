"""Models that run on this machine: no account, no key, no network."""
