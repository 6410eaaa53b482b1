"""Who handed in what: one submission a file or a folder, each of its katas an answer."""

from __future__ import annotations

import ast
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..checker import Said, Source, Unreadable, read
from ..kata.catalogue import Kata, known
from ..kata.code import bare
from ..practice.home import reason
from ..practice.recognise import ENDINGS, fits, header_in, header_of

__all__ = ["Answer", "Submission", "collect", "left_out"]

# A folder with more files than this is no submission.
_MANY = 200
_ARCHIVES = {".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar"}
_LEFT_OUT = {"__pycache__", "node_modules", "venv", "env", "build", "dist"}


@dataclass(slots=True, kw_only=True)
class Answer:
    """One file's answer to one kata. kata: empty where none was found, and problem says why.

    file: its path inside the submission. label: what it is called in what comes of it. digest: of
    the file and of what lies beside it. code: what two files share whose code is the same; empty
    where it is not Python.
    """

    submission: str
    file: str
    path: Path
    label: str = ""
    kata: str = ""
    problem: str = ""
    reason: Said = ""
    digest: str = ""
    code: str = ""
    beside: dict[str, Path] = field(default_factory=dict[str, Path])


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What one person handed in."""

    name: str
    answers: Sequence[Answer]


def collect(folder: Path, kata: Kata | None) -> list[Submission]:
    """Return a folder's submissions in the order of their names; none of their code is run.

    kata: which all of them answer, None to find out by header, name and class. Raise OSError where
    the folder itself cannot be looked into.
    """
    found: list[Submission] = []
    for entry in _entries(folder):
        if entry.is_dir():
            around = folder.resolve().is_relative_to(entry.resolve())
            answers = [_none(entry, "circle")] if around else list(_of_folder(entry, kata))
            for one in answers:
                one.label = f"{entry.name}/{one.file}".rstrip("/")
        elif _counts(entry):
            answers = list(_of_file(entry, entry.name, entry.stem, kata))
            for one in answers:
                one.label = entry.name
        else:
            continue
        found.append(Submission(name=entry.name if entry.is_dir() else entry.stem, answers=answers))
    return found


def left_out(folder: Path) -> list[str]:
    """Return the names of the files in a folder that are no submissions by their endings."""
    return [one.name for one in _entries(folder) if not one.is_dir() and not _counts(one)]


def _entries(folder: Path) -> list[Path]:
    found = sorted(folder.iterdir(), key=lambda one: one.name)
    return [one for one in found if not one.name.startswith(".") and one.name not in _LEFT_OUT]


def _none(place: Path, problem: str, reason: Said = "", file: str = "") -> Answer:
    """Say of a folder, or of one in it, why there is nothing to judge."""
    return Answer(
        submission=place.name, file=file, path=place / file, problem=problem, reason=reason
    )


def _counts(file: Path) -> bool:
    return file.suffix in ENDINGS or file.suffix.lower() in _ARCHIVES


def _of_folder(folder: Path, kata: Kata | None) -> Iterator[Answer]:
    closed: list[OSError] = []
    files = list(_files(folder, closed))
    if len(files) > _MANY:
        yield _none(folder, "too-many-files", str(_MANY))
        return
    inside = {file.relative_to(folder).as_posix(): file for file in files}
    found = [
        answer
        for name, file in inside.items()
        for answer in _of_file(file, name, folder.name, kata, inside)
    ]
    told = [one for one in found if one.kata or one.problem != "no-kata"]
    for fault in closed:
        inside_it = os.path.relpath(fault.filename, folder)
        told.append(_none(folder, "closed", reason(fault), inside_it.removeprefix(".")))
    yield from told or [_none(folder, "nothing-to-judge")]


def _files(folder: Path, closed: list[OSError]) -> Iterator[Path]:
    """What may be judged, or has to be unpacked first; one more than there may be, at most.

    closed: takes in why a folder could not be looked into.
    """
    count = 0
    for place, folders, names in os.walk(folder, onerror=closed.append):
        folders[:] = sorted(
            one for one in folders if one not in _LEFT_OUT and not one.startswith(".")
        )
        for name in sorted(names):
            if _counts(Path(name)) and not name.startswith("."):
                yield Path(place, name)
                count += 1
                if count > _MANY:
                    return


def _of_file(
    file: Path,
    name: str,
    submission: str,
    kata: Kata | None,
    beside: dict[str, Path] | None = None,
) -> Iterator[Answer]:
    blank = Answer(submission=submission, file=name, path=file, beside=beside or {name: file})
    if file.suffix.lower() in _ARCHIVES:
        blank.problem = "archive"
    elif os.path.exists(file) and not os.path.isfile(file):  # noqa: PTH110, PTH113 - never raise
        # A pipe or a device may never end. A link that leads nowhere is read, to say so.
        blank.problem = "no-file"
    else:
        yield from _of_source(blank, kata)
        return
    yield blank


def _of_source(blank: Answer, kata: Kata | None) -> Iterator[Answer]:
    said = blank.path.stem
    try:
        source = read(blank.path)
    except Unreadable as fault:
        asked = kata or known(header_of(blank.path) or said)
        if asked is None:
            blank.problem, blank.reason = "unreadable", fault.message
        else:
            # The judge says the same, as a verdict.
            blank.kata = asked.id
        blank.digest = _digest(blank)
        yield blank
        return
    katas = [kata] if kata is not None else _katas(source, said)
    blank.digest, blank.code = _digest(blank), _code(source)
    if not katas:
        blank.problem = "no-kata"
        yield blank
    for one in katas:
        yield Answer(submission=blank.submission, file=blank.file, path=blank.path, kata=one.id,
                     digest=blank.digest, code=blank.code, beside=blank.beside)  # fmt: skip


def _katas(source: Source, said: str) -> list[Kata]:
    """What a header says; else all that the file defines; else what its name says."""
    header = header_in(source.text)
    by_header = known(header) if header is not None else None
    if by_header is not None:
        return [by_header]
    found = [fit.kata for fit in fits(source.tree)]
    by_name = known(said)
    return found or ([by_name] if by_name is not None else [])


def _digest(answer: Answer) -> str:
    """Of the file's content, and of the names and content of what it may import."""
    whole = hashlib.sha256()
    for name, file in sorted(answer.beside.items()):
        called = f"{name}\0{name == answer.file}\0" if len(answer.beside) > 1 else file.suffix
        whole.update(called.encode("utf-8", "surrogateescape"))
        try:
            if file.is_file():
                with file.open("rb") as stream:
                    while piece := stream.read(1 << 20):
                        whole.update(piece)
        except OSError:
            whole.update(b"unreadable")
    return whole.hexdigest()


def _code(source: Source) -> str:
    """What is the same where two files differ in comments, docstrings and layout alone."""
    try:
        text = bare(ast.unparse(source.tree))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        text = source.text
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
