"""The pages that the links in mails open, made from one template."""
