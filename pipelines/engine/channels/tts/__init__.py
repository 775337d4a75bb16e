"""Several voices behind one."""
