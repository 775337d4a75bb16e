"""What can go wrong with batches."""

from __future__ import annotations

from control_plane.platform.errors import NotFound


class BatchNotFound(NotFound):
    code = "batch_not_found"
    title = "Batch not found"
