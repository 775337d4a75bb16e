from __future__ import annotations

from fastapi import FastAPI


def test_every_route_of_the_api_declares_its_limit_and_no_other_does(app: FastAPI) -> None:
    wrong = [
        (method, path)
        for path, operations in app.openapi()["paths"].items()
        for method, operation in operations.items()
        if ("RateLimited" in str(operation["responses"].get("429"))) is not path.startswith("/v1/")
    ]
    assert wrong == []
