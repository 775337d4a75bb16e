"""What was heard on calls, kept in object storage."""
