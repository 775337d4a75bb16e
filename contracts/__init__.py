"""What crosses a process border: agent configuration, call plan, events, commands, names, money.

Nothing here does I/O, and nothing here imports another package of Switchboard.
"""
