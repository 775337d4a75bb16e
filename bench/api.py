"""What the API costs, table after table: agents, creating calls, applying events, lists of calls.

Each also runs alone and takes its own options: ``python -m bench.api_create --help``.

    python -m bench.api [agents] [create] [events] [lists]
"""

from __future__ import annotations

import argparse
import subprocess
import sys

TABLES = ("agents", "create", "events", "lists")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", choices=TABLES, default=TABLES)
    wanted = parser.parse_args().tables
    # A process each: some pin themselves to a core.
    ended = [subprocess.run([sys.executable, "-m", f"bench.api_{name}"]) for name in wanted]
    return max(each.returncode for each in ended)


if __name__ == "__main__":
    sys.exit(main())
