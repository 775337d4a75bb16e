"""The process that runs this machine's speech models for all workers, and their way to it."""
