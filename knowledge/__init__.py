"""What agents can look up: documents to passages, passages to bundles, and searching bundles."""
