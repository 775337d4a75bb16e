"""Plans: the credit that they include each month, and whether calls go on without it."""
