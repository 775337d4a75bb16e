"""The analyser that needs no language model, no key and no network."""
