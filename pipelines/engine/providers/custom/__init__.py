"""The tenant's own endpoints. Their formats: docs/custom-endpoints.md."""
