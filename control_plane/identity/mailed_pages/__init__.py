"""The pages that the links in mails open: static files and the routes that serve them."""
