"""The console: the dashboard in a browser, over the public API alone."""
