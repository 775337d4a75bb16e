"""Several voices behind one. Calls do not use it yet: see ARCHITECTURE.md."""
