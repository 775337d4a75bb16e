"""JSON Schemas that tenants write: limited when they are saved, applied in a child process."""
