"""Choosing fewer mails from the link in a mail, without logging in."""
