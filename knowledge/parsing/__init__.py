"""From files to passages, in child processes with limits on time and memory."""
