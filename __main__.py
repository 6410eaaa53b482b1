"""The program's way in: for a check, torch begins to load before anything else does."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> int:
    """Run the command line and return its exit status."""
    given = sys.argv[1:]
    if "check" in given[:3] and not {"--help", "-h"} & set(given):
        from .checker.launch import begin

        begin()
    from .cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
