"""The content linter: is what the katas say true, whole, and in both languages?

`run` returns one line a problem: the file, what is wrong, and the cure.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..kata.packs import OWN, kata_folders, take
from ..kata.slips import BadSlips, all_ids, variants
from .layout import PACKAGE, Folder

__all__ = ["run"]


def run(folder: Path | None = None) -> list[str]:
    """Return the problems of a folder of katas; of the package's own where none is given.

    A folder is laid out as `kata/` is, with the model answers in `../reference`, or it holds
    both. What needs the project's other texts is done for the package's own, and what needs the
    judge for katas whose names are free.
    """
    path = (folder or PACKAGE).resolve()
    if (path / "kata").is_dir():
        path /= "kata"
    return list(_problems(Folder(path=path)))


def _problems(folder: Folder) -> Iterator[str]:
    from .contents import content_problems
    from .texts import text_problems
    from .unwritten import unwritten_problems

    yield from content_problems(folder)
    yield from unwritten_problems(folder)
    if not _readable(folder):
        # What follows asks for the mistakes of all katas.
        return
    yield from text_problems(folder)
    if folder.own:
        from .pages import page_problems, sentence_problems
        from .plans import plan_problems

        yield from plan_problems()
        yield from page_problems()
        yield from sentence_problems()
    yield from _code_problems(folder)


def _readable(folder: Folder) -> bool:
    """Whether the mistakes of all katas can be read; `content_problems` says why not."""
    try:
        all_ids(folder.path)
        for kata in folder.katas():
            variants(kata.folder)
    except BadSlips:
        return False
    return True


def _judged(folder: Folder) -> set[Path]:
    """Have the judge know a folder's katas; return those that it does by their names."""
    if not folder.own:
        own = {path.name for path in OWN.iterdir()}
        take(kata.folder for kata in folder.katas() if kata.data and kata.id not in own)
    return set(kata_folders()) & {kata.folder for kata in folder.katas()}


def _code_problems(folder: Folder) -> Iterator[str]:
    """Yield what running the stubs and the model answers shows, torch loading meanwhile."""
    from ..checker import Bench

    judged = _judged(folder)
    bench = Bench() if judged else None
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
                if bench is not None and kata.folder in judged:
                    yield from judge_problems(bench, kata)
    finally:
        if bench is not None:
            bench.close()
