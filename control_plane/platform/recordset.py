"""Many rows in one parameter of one statement.

Sending each row with its own parameters costs the driver about as much as everything else that is
done with a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic_core import to_json
from sqlalchemy import JSON, FromClause, TableValuedAlias, Text, bindparam, cast, column, func

Rows = Sequence[dict[str, Any]]
"""Values by column. All rows have the same columns."""


def recordset(table: FromClause, columns: Sequence[str]) -> TableValuedAlias:
    """A relation with these columns of ``table``. Its rows come with ``recordset_parameters``."""
    document = cast(bindparam(_PARAMETER, type_=Text()), JSON)
    fields = [column(name, table.c[name].type) for name in columns]
    return func.json_to_recordset(document).table_valued(*fields).render_derived(with_types=True)


def recordset_parameters(rows: Rows) -> dict[str, str]:
    return {_PARAMETER: to_json(rows).decode()}


_PARAMETER = "recordset"
