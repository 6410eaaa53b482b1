"""What is to be judged, as a file: a path, a source text, a class, or the cells of a notebook."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..checker import cell_rows
from .needed import kept

__all__ = ["Written", "cells_run", "notebook_file", "written"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A file to be judged. called: its name in reports. chosen: the class that is meant.

    beside: the folder whose files it may import, where that is not its own.
    """

    file: Path
    called: str
    chosen: str | None = None
    beside: Path | None = None


@contextmanager
def written(what: object) -> Generator[Written]:
    """Have it as a file meanwhile. Raise TypeError or LookupError where it has no source.

    what: a path, a source text of several lines, or a class or function, whose file is meant; of
    what was defined in a notebook or in the script that runs, with all that it needs there.
    """
    if isinstance(what, Path) or (isinstance(what, str) and "\n" not in what):
        yield Written(file=Path(what), called=str(what))
    elif isinstance(what, str):
        with _held("source.py", what) as file:
            yield Written(file=file, called="<source>", beside=Path.cwd())
    else:
        with _of_object(what) as found:
            yield found


@contextmanager
def notebook_file(cells: Sequence[str], wanted: str | None, called: str) -> Generator[Written]:
    """Have cells that were run as a notebook, with what the last of them or a name needs."""
    rows = ["\n".join(cell_rows(text)) for text in cells]
    held = [
        {"cell_type": "code", "metadata": {}, "source": text, "outputs": []}
        for text in kept(rows, wanted)
    ]
    text = json.dumps({"cells": held, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    with _held("notebook.ipynb", text) as file:
        yield Written(file=file, called=called, chosen=wanted, beside=Path.cwd())


def cells_run(shell: Any) -> list[str]:
    """Return what was run in an IPython shell, as typed: the first is In [1]."""
    return [str(text) for text in shell.history_manager.input_hist_raw[1:]]


@contextmanager
def _of_object(thing: Any) -> Generator[Written]:
    name = getattr(thing, "__qualname__", None)
    if not isinstance(name, str):
        raise TypeError(f"not a path, a source text, a class or a function: {type(thing).__name__}")
    if not name.isidentifier():
        raise LookupError(f"{name} is defined inside something else: move it to the top level")
    chosen = name if isinstance(thing, type) else None
    module = sys.modules.get(thing.__module__)
    file = getattr(module, "__file__", None)
    shell = _shell()
    if file is None and shell is not None:
        with notebook_file(cells_run(shell), name, "notebook") as found:
            yield found
    elif file is None:
        raise LookupError(f"{name} has no file: hand over its source, or save it in one")
    elif thing.__module__ == "__main__":
        # Running the whole of it again would ask for this very verdict.
        text = Path(file).read_text("utf-8-sig")
        with _held(Path(file).name, kept([text], name)[0]) as held:
            yield Written(file=held, called=file, chosen=chosen, beside=Path(file).parent)
    else:
        yield Written(file=Path(file), called=file, chosen=chosen)


def _shell() -> Any:
    """The IPython shell that this runs in, None elsewhere."""
    if "IPython" not in sys.modules:
        return None
    from IPython.core.getipython import get_ipython

    return get_ipython()


@contextmanager
def _held(name: str, text: str) -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix="attn-kata-") as folder:
        file = Path(folder, name)
        file.write_text(text, "utf-8")
        yield file
