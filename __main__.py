"""The program's way in: for a verdict, torch begins to load before anything else does."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> int:
    """Run the command line and return its exit status."""
    given = sys.argv[1:]
    if {"check", "watch"} & set(given[:3]) and not {"--help", "-h"} & set(given):
        from .checker.process.launch import begin

        begin()
    from .cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
