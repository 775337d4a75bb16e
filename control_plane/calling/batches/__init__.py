"""Batches: many phone calls requested at once."""
