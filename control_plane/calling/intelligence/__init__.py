"""What is found out about a call once it is over."""
