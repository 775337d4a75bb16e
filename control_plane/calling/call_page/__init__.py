"""The page where a person talks to an agent: static files and the route that serves them."""
