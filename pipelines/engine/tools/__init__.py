"""The tools that the language model of a call is given."""
