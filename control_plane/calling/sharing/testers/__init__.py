"""People who are invited by mail to try an agent, as its owner manages them."""
