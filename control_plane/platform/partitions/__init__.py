"""Tables that are partitioned by month."""
