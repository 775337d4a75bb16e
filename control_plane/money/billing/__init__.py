"""The ledger: grants, reserves, charges, and what a tenant's balance looks like."""
