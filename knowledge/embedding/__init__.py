"""From texts to vectors: with a model on this machine, or at OpenAI."""
