"""Vendors of speech and language models on this machine, as fast or as slow as they are told."""
