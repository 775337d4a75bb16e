"""Whether what gateways captured is in the ledger and on paper, and nothing else."""
