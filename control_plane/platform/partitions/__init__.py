"""Tables that are partitioned by month, and the outbox, by day."""
