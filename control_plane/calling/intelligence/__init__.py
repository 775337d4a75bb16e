"""Analyses of calls that have ended: summary, structured data and evaluation."""
