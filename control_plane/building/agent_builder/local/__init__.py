"""The built-in builder: writes agents without a language model. Pure and deterministic.

``reading`` finds out what a prompt says, ``composition`` makes an agent's configuration from it,
``editing`` applies an instruction to an existing configuration, and ``fields`` writes one field.
"""
