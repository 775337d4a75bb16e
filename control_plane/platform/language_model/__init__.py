"""The client for language models: one request, one JSON answer.

Vendors are called through their own libraries, which are imported when the first request is made.
"""
