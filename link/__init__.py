"""How every process talks to the Redis between control plane, media workers and bridges.

``connection`` makes clients, ``streams`` and ``consumer_group`` read streams, and
``persistent_loop`` keeps a loop running through outages. Keys and documents are in ``contracts``.
"""
