"""The language model of a call: one after the other, behind one."""
