"""An agent's public link, as its owner manages it."""
