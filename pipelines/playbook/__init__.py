"""The playbook engine: a deterministic dialogue policy over an agent's own playbook.

It replaces the language model when there is none. It takes the same input (the chat history) and
gives the same output (text and tool calls), without randomness or network.
"""
