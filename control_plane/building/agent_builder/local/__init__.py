"""From an owner's own words to an agent, without a language model: pure and deterministic.

``reading`` finds out what the words say, ``composing`` makes an agent's configuration of it, and
``editing`` applies an instruction to a configuration that exists.
"""
