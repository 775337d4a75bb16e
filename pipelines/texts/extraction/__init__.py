"""Reading an agent's free-text prompt, each sentence by the first rule that knows it."""
