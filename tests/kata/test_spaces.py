"""Chinese is set without stray spaces, wherever a line of its source was broken."""

import re

from attn_kata.dev.sentences import sentences
from attn_kata.kata import pages

FOLDER = pages.own_pages()
FILES = [
    file.relative_to(FOLDER).as_posix()
    for pattern in ("*/*.toml", "*/*.zh.md", "*/pages/*.zh.md")
    for file in sorted(FOLDER.glob(pattern))
    # What people say is set as they say it, and nobody is shown it.
    if file.name != "phrasings.toml"
]
WIDE = r"[\u4e00-\u9fff，。：；？！、（）“”]"
STRAY = re.compile(rf"{WIDE} {WIDE}|[\u4e00-\u9fff][a-zA-Z0-9]|[a-zA-Z0-9][\u4e00-\u9fff]")
FENCED = re.compile(r"^```.*?^```$|^    .*?$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`[^`]*`")


def test_no_stray_spaces():
    """None between two characters, and one beside what is Latin."""
    told = {}
    for file in FILES:
        text = (FOLDER / file).read_text("utf-8")
        found = sentences(file, FENCED.sub("", text) if file.endswith(".md") else text)
        told |= {(file, key): text for key, text in found.items() if key.endswith("(zh)")}
    assert len(told) > len(FILES)
    plain = {key: INLINE.sub("`", text) for key, text in told.items()}
    assert {key: text for key, text in plain.items() if STRAY.search(text)} == {}
