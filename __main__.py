"""The program's way in: for a verdict, torch begins to load before anything else does."""

from __future__ import annotations

import gc
import sys

__all__ = ["main"]


def main() -> int:
    """Run the command line and return its exit status."""
    try:
        return _run(sys.argv[1:])
    except KeyboardInterrupt:
        # There are no words yet to say so with.
        return 130


def _run(given: list[str]) -> int:
    if {"check", "watch"} & set(given[:3]) and not {"--help", "-h"} & set(given):
        from .checker import begin

        _keep(given)
        begin()
        from .practice.ahead import begin as begin_ahead

        begin_ahead(given)
    # Modules are no rubbish: nothing looks through them, now or as Python ends.
    gc.disable()
    from .cli import main as run

    gc.freeze()
    gc.enable()
    status = run()
    # triton's bindings write to the terminal what of them is left as Python ends.
    if "triton" not in sys.modules:
        gc.freeze()
    return status


def _keep(given: list[str]) -> None:
    """Read `--keep MINUTES` before anything else is: it says which judge is wanted."""
    import os

    from .checker import KEEP

    for at, word in enumerate(given):
        name, equals, value = word.partition("=")
        if name == "--keep":
            os.environ[KEEP] = value if equals else "".join(given[at + 1 : at + 2])


if __name__ == "__main__":
    sys.exit(main())
