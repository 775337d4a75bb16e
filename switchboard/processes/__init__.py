"""The processes of one machine: what each runs, what it is given, and what it may use."""
