"""What an answer gives a stream, because its start does not name it."""

from __future__ import annotations

FROM_PARAMETER = "from_number"
TO_PARAMETER = "to_number"
