"""Outsiders try a published agent: through one public link, or as invited testers."""
