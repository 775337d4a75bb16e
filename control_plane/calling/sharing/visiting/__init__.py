"""What visitors do: look at a shared agent, call it, and ask for more minutes."""
