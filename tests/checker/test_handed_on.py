"""Model answers in other forms: what takes anything, and hands it on, is called all the same."""

from __future__ import annotations

import re

import pytest
from attn_kata.checker import Bench
from attn_kata.checker.client import Options
from attn_kata.kata.catalogue import Kata, katas
from attn_kata.sentences.wording import worded

ALL = [kata for kata in katas() if not kata.lacking and not kata.kernels]
CLASSES = [kata for kata in ALL if kata.kind != "function"]

WRAPPER = """
def logged(function):
    def wrapper({takes}):
        return function({takes})
    return wrapper

"""
# What stands before the class's own name, once the class is called `Whole`.
FORMS = {
    "subclass": """
class {name}(Whole):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)

    def forward(self, *args, **kwargs):
        return super().forward(*args, **kwargs)
""",
    "property": """
class {name}(Whole):
    @property
    def forward(self):
        return super().forward
""",
    "inner": """
class {name}(nn.Module):
    def __init__(self, {first}, **rest):
        super().__init__()
        self.inner = Whole({first}, **rest)

    def forward(self, *args):
        return self.inner(*args)
""",
}


def decorated(source: str, names: tuple[str, ...], takes: str) -> str:
    """The source with each function that is called behind a wrapper without a signature."""
    lines: list[str] = []
    for line in source.split("\n"):
        found = re.match(r"(\s*)def (\w+)\(", line)
        called = found is not None and (found[2] == "forward" if found[1] else found[2] in names)
        if called and found is not None and not lines[-1].strip().startswith("@"):
            lines.append(f"{found[1]}@logged")
        lines.append(line)
    head, part, rest = "\n".join(lines).partition("\n\n\n")
    return head + "\n\n" + WRAPPER.format(takes=takes) + part + rest


def formed(source: str, name: str, form: str) -> str:
    """The source with its class under another, of a form."""
    source = re.sub(rf"\b{name}\b", "Whole", source)
    found = re.search(r"^class Whole\b.*?(?=^\S|\Z)", source, re.MULTILINE | re.DOTALL)
    assert found is not None
    first = re.search(r"def __init__\(\s*self,\s*(\w+)", found[0])
    assert first is not None
    text = FORMS[form].format(name=name, first=first[1])
    return source[: found.end()] + "\n\n" + text + "\n\n" + source[found.end() :]


def passes(bench: Bench, kata: Kata, source: str, folder) -> None:
    """Judge a source text, which is right and has nothing to be remarked on."""
    (folder / "mine.py").write_text(source, "utf-8")
    report = worded(next(bench.judge(kata.id, [folder / "mine.py"], Options(seed=3))), "en")
    assert report.verdict == "pass", report.to_dict()
    assert not [remark for remark in report.remarks if remark.id == "argument-unknown"]


@pytest.mark.each_kata
@pytest.mark.parametrize("takes", ["*args, **kwargs", "*args"])
@pytest.mark.parametrize("kata", ALL, ids=lambda kata: kata.id)
def test_behind_a_wrapper(kata, takes, bench, tmp_path):
    """A decorator that says nothing of what it takes hides no right answer."""
    passes(bench, kata, decorated(kata.shown, kata.names, takes), tmp_path)


@pytest.mark.each_kata
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kata", CLASSES, ids=lambda kata: kata.id)
def test_under_another_class(kata, form, bench, tmp_path):
    """Nor does a class that hands on what it is given."""
    name = next(n for n in kata.names if re.search(rf"^class {n}\b", kata.shown, re.MULTILINE))
    passes(bench, kata, formed(kata.shown, name, form), tmp_path)
