"""Every message that the judge can make has its sentence, and every sentence its message."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from attn_kata.checker.report.message import say
from attn_kata.sentences.wording import MISTAKE, forms, sentence

ROOT = Path(__file__).parent.parent.parent
ROWS = forms()
# Who makes messages: in the terminal's files `say` speaks at once, from tables of its own.
TREES = {
    path: ast.parse(path.read_text("utf-8"))
    for room in ("checker", "practice")
    for path in sorted((ROOT / room).rglob("*.py"))
}


def pattern(node: ast.AST) -> str | None:
    """What a string's source can become, as a regular expression."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.escape(node.value)
    if isinstance(node, ast.JoinedStr):
        parts = (pattern(part) if isinstance(part, ast.Constant) else ".+" for part in node.values)
        return "".join(part or "" for part in parts)
    return None


def words() -> Iterator[str]:
    """Every text in the judge's code that could be a key, or a part of one; and other keys."""
    judge = [tree for path, tree in TREES.items() if "checker" in path.parts]
    ids = TREES[ROOT / "checker" / "report" / "ids.py"]
    others = [call.args[0] for call in calls()]
    for tree in (*(tree for tree in judge if tree is not ids), *others):
        for node in ast.walk(tree):
            found = pattern(node)
            if found is not None and re.search(r"[a-z]", found):
                yield found


def calls() -> Iterator[ast.Call]:
    """Every `say(…)` that makes a message."""
    for tree in TREES.values():
        imported = any(
            isinstance(node, ast.ImportFrom)
            and (node.module or "").endswith(("message", "checker"))
            for node in ast.walk(tree)
        )
        for node in ast.walk(tree) if imported else ():
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "say":
                yield node


def places(form: str) -> set[str]:
    """The names in a sentence's braces."""
    return {name for _, name, _, _ in Formatter().parse(form) if name}


def test_languages_say_the_same():
    """A sentence takes the same values in both languages."""
    keys = ROWS.keys() - {"either"}
    assert [key for key in keys if places(ROWS[key]["en"]) != places(ROWS[key]["zh"])] == []


def test_every_sentence_is_said():
    """No row is left over: some code has its key, whole, as a pattern or with an ending added."""
    known = set(words())
    plain = {re.sub(r"\\(.)", r"\1", one) for one in known if ".+" not in one}
    made = [one for one in known if ".+" in one and "-" in one and len(one) < 40]
    endings = {one for one in plain if re.fullmatch(r"-[a-z]+", one)}
    idle = {
        key
        for key in set(ROWS) - plain
        if not any(re.fullmatch(one, key) for one in made)
        and not any(key.endswith(one) and key.removesuffix(one) in ROWS for one in endings)
    }
    assert idle == set()


def test_every_message_can_be_said():
    """What is said by its key has a row, and is given what stands in its braces."""
    found = list(calls())
    assert len(found) > 100
    for call in found:
        key = pattern(call.args[0])
        given = {one.arg for one in call.keywords}
        rows = [row for row in ROWS if key is not None and re.fullmatch(key, row)]
        assert key in {None, MISTAKE} or rows, key
        if len(rows) == 1 and None not in given:
            assert places(ROWS[rows[0]]["en"]) <= given, rows[0]


@pytest.mark.parametrize(("language", "told"), [("en", "a, b"), ("zh", "a，b")])
def test_lists_are_enumerated(language, told):
    """Several values are told with the language's own comma, and messages in them in words."""
    inner = say("verbatim", text="b")
    assert sentence(say("listed", parts=["a", inner]), language) == told


def test_what_no_report_carries_is_refused():
    """A message takes what JSON keeps as it is, and no tuple, which would come back a list."""
    with pytest.raises(TypeError, match="shape is a tuple"):
        say("shaped", name="a", shape=(2, 3))  # type: ignore[arg-type]
