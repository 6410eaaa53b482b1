"""The content linter: is what the katas say true, whole, and in both languages?

`run` returns one line a problem: the file, what is wrong, and the cure.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .layout import PACKAGE, Folder

__all__ = ["run"]


def run(folder: Path | None = None) -> list[str]:
    """Return the problems of a folder of katas; of the package's own where none is given.

    A folder is laid out as `kata/` is, with the model answers in `../reference`, or it holds
    both. What needs the judge, or the project's other texts, is done for the package's own.
    """
    path = (folder or PACKAGE).resolve()
    if (path / "kata").is_dir():
        path /= "kata"
    return list(_problems(Folder(path=path)))


def _problems(folder: Folder) -> Iterator[str]:
    from .contents import content_problems
    from .texts import text_problems

    yield from content_problems(folder)
    yield from text_problems(folder)
    if folder.own:
        from .pages import page_problems, sentence_problems
        from .plans import plan_problems

        yield from plan_problems()
        yield from page_problems()
        yield from sentence_problems()
    yield from _code_problems(folder)


def _code_problems(folder: Folder) -> Iterator[str]:
    """Yield what running the stubs and the model answers shows, torch loading meanwhile."""
    from ..checker import Bench

    bench = Bench() if folder.own else None
    try:
        from .answers import contract_problems, judge_problems
        from .lessons import lesson_problems
        from .shapes import shape_problems
        from .statements import claim_problems

        yield from claim_problems(folder.path)
        yield from lesson_problems(folder.path)
        for kata in folder.katas():
            contract = list(contract_problems(kata)) if kata.data else []
            yield from contract
            whole = bool(kata.data) and kata.stub.is_file() and kata.reference.is_file()
            if whole and not contract:
                yield from shape_problems(kata)
                if bench is not None:
                    yield from judge_problems(bench, kata)
    finally:
        if bench is not None:
            bench.close()
