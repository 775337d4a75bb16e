"""Find out what an agent's ``post_call`` settings ask for, with a language model or without one."""
