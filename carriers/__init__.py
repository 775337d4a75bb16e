"""Four phone carriers, each in its own words: signatures, answers, media streams and REST.

Nothing here knows a call of Switchboard's, a database or Redis.
"""
