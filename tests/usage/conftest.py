from __future__ import annotations

from tests.pipelines.conftest import warm_models
from tests.pipelines.engine.conftest import spare_vendor

__all__ = ["spare_vendor", "warm_models"]
