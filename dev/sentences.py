"""List the sentences that a user can see and that changed, before and after.

`python -m attn_kata.dev.sentences REVISION` compares that revision of the repository with the
working tree and prints Markdown: a list entry a sentence, by file, key and language.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["changed", "main", "sentences"]

_LANGUAGES = ("en", "zh")
_PLACES = ("terminal", "sentences", "checker", "reference", "practice", "kata", "cli*.py")
_SPOKEN = re.compile(r"[\u4e00-\u9fff{]")
_WIDE = r"[\u3000-\u9fff\uff00-\uffef“”]"
_BROKEN = re.compile(rf"(?<={_WIDE})\s*\n\s*(?={_WIDE})")
_ROOT = Path(__file__).parent.parent


def sentences(name: str, text: str) -> dict[str, str]:
    """Return the sentences of a file by key and language: tables, TOML, or paragraphs."""
    if name.endswith(".py"):
        return dict(_of_tables(ast.parse(text)))
    if name.endswith(".toml"):
        return dict(_of_values(tomllib.loads(text), (), ""))
    if found := re.search(r"\.(en|zh)\.md$", name):
        return dict(_of_paragraphs(text, found[1]))
    return {}


def changed(old: Mapping[str, str], new: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Return (key, before, after) of what differs; a side that has none is empty.

    What stands under another key now, as a paragraph that moved, did not change.
    """
    kept = set(old.values()) & set(new.values())
    keys = [key for key in dict.fromkeys((*old, *new)) if old.get(key) != new.get(key)]
    pairs = [(key, old.get(key, ""), new.get(key, "")) for key in keys]
    pairs = [(key, *("" if one in kept else one for one in pair)) for key, *pair in pairs]
    return [(key, before, after) for key, before, after in pairs if before or after]


def _joined(text: str) -> str:
    """A text on one line: none of its breaks is a space between two Chinese characters."""
    return " ".join(_BROKEN.sub("", text).split())


def _of_paragraphs(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Paragraphs, bullets and headings, by the heading and their number below it."""
    heading, number = "", 0
    for part in re.split(r"\n\s*\n|\n(?=- |#)", text):
        for told in re.split(r"(?m)^(#.*)\n", part):
            if told.startswith("#"):
                heading, number = told.lstrip("# "), 0
            number += 1
            if told.strip():
                yield f"{heading} {number} ({language})", _joined(told)


def _of_tables(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Sentences of rows (key, en, zh), of {key: {en, zh}}, and of calls with en= and zh=."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple) and len(node.elts) == 3:
            key, *texts = map(_text, node.elts)
            if key and all(texts):
                yield from _told(key, dict(zip(_LANGUAGES, texts, strict=True)))
        elif isinstance(node, ast.Dict):
            for name, value in zip(node.keys, node.values, strict=True):
                if name is not None and isinstance(value, ast.Dict):
                    inner = zip(value.keys, value.values, strict=True)
                    told = {_text(one): _text(text) for one, text in inner if one is not None}
                    yield from _told(_text(name), told)
        elif isinstance(node, ast.Call):
            told = {one.arg: _text(one.value) for one in node.keywords}
            first = next((_text(one) for one in node.args), "")
            yield from _told(told.get("id") or first, told)


def _text(node: ast.AST) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _told(key: str, texts: Mapping[Any, str]) -> Iterator[tuple[str, str]]:
    english, chinese = (texts.get(language, "") for language in _LANGUAGES)
    # A row of three names is no sentence: one in Chinese has a character of it, or a gap.
    if key and english and _SPOKEN.search(chinese):
        yield from ((f"{key} ({language})", texts[language]) for language in _LANGUAGES)


def _of_values(value: Any, path: tuple[str, ...], language: str) -> Iterator[tuple[str, str]]:
    """The strings below `en` and `zh`; what has an id is called by it."""
    if isinstance(value, str) and language:
        yield f"{'.'.join(path)} ({language})", _joined(value)
    elif isinstance(value, list):
        for at, one in enumerate(value, 1):
            name = one.get("id", str(at)) if isinstance(one, dict) else str(at)
            yield from _of_values(one, (*path, name), language)
    elif isinstance(value, dict):
        for key, one in value.items():
            inner = path if key in _LANGUAGES else (*path, key)
            yield from _of_values(one, inner, key if key in _LANGUAGES else language)


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=_ROOT, capture_output=True, check=True)  # noqa: S607
    return done.stdout.decode("utf-8")


def _all(names: Sequence[str], read: Callable[[str], str]) -> dict[str, tuple[str, str]]:
    """The sentences of many files by name and key, with the file; a table's go by key alone."""
    found: dict[str, tuple[str, str]] = {}
    for name in names:
        for key, text in sentences(name, read(name)).items():
            found[key if name.endswith(".py") else f"{name} {key}"] = (name, text)
    return found


def main(arguments: Sequence[str]) -> int:
    """Print what changed since a revision."""
    revision = arguments[0]
    files = _git("diff", "--name-only", "--no-renames", revision, "--", *_PLACES).split()
    before = set(_git("ls-tree", "-r", "--name-only", revision).split("\n"))
    old = _all(
        [name for name in files if name in before], lambda name: _git("show", f"{revision}:{name}")
    )
    there = [name for name in files if (_ROOT / name).exists()]
    new = _all(there, lambda name: (_ROOT / name).read_text("utf-8"))
    texts = ({key: text for key, (_, text) in side.items()} for side in (old, new))
    found = [((new.get(key) or old[key])[0], key, *pair) for key, *pair in changed(*texts)]
    for file, key, was, now in sorted(found, key=lambda one: one[0]):
        print(f"- `{file}` {key.removeprefix(file).strip()}")
        print(f"  - before: {was or '—'}\n  - after: {now or '—'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
