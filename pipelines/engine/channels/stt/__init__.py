"""The recogniser of a call: one after the other, behind one."""
