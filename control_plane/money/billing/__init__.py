"""The ledger: grants, reserves and charges, and each tenant's balance."""
