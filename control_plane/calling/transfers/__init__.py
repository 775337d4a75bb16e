"""Phones that a running call has asked for, to transfer its caller to a person."""
