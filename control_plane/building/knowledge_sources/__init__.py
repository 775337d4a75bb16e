"""What an agent can look up during calls: texts, web pages and files."""
