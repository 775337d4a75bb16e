"""``switchboard doctor``: whether Switchboard can run on this machine, and if not, what to do."""
