"""Phone numbers of members, confirmed with a code."""
