"""The widget: one script that puts a shared agent on any web page."""
