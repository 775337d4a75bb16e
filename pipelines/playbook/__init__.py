"""The playbook engine: a deterministic dialogue policy over an agent's own playbook.

It takes the language model's place when there is none: same input (the chat history), same output
(text and tool calls), no randomness, no network.
"""
