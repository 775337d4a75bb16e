"""The requests of webhook tools: made, sent, and what came of them. Knows no engine."""
