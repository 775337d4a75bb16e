"""Language models of vendors, through the vendors' own client libraries."""
