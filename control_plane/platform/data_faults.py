"""What the data of one event, fact or row can make our code raise.

Code that handles many of them catches these, logs them, and goes on with the next. Any other error,
such as a missing table, is a fault of the installation.
"""

from __future__ import annotations

DATA_FAULTS = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    AssertionError,
)
