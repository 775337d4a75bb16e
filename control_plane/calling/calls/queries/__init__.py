"""The queries behind what the API shows of calls, one module for each kind of answer.

The modules hold queries and nothing else; ``repository.py`` beside this folder has the queries that
lock or change calls.
"""
