"""The analyser that asks a language model."""
