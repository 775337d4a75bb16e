"""What the API and the jobs process cost, table after table: agents, creating calls, applying
events, lists of calls, the reaper.

Each also runs alone and takes its own options: ``python -m bench.api_create --help``.

    python -m bench.api [agents] [create] [events] [lists] [reaper]
"""

from __future__ import annotations

import argparse
import subprocess
import sys

TABLES = ("agents", "create", "events", "lists", "reaper")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    # Not ``choices``: with them argparse refuses an empty list.
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    wanted = parser.parse_args().tables or TABLES
    if unknown := set(wanted) - set(TABLES):
        parser.error(f"no table {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
    # A process each: some pin themselves to a core.
    ended = [subprocess.run([sys.executable, "-m", f"bench.api_{name}"]) for name in wanted]
    return max(each.returncode for each in ended)


if __name__ == "__main__":
    sys.exit(main())
