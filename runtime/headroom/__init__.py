"""Whether a worker has room for more calls, by what is measured while it carries those it has."""
