"""JSON Schemas that tenants write: checked when they are saved, applied in a child process."""
