"""``python -m switchboard``: how the supervisor starts its children."""

from switchboard.cli import main

main()
