"""An analyser without a language model: it counts and copies, and says that it does."""
