"""Questions from one's own code: what they are read from."""

import re

import pytest
from attn_kata.kata.catalogue import find
from attn_kata.practice.interview.own import facts, own_questions

OWN = """\
FILL = -1e9

def hide(scores, mask):
    return scores.masked_fill(mask == 0, -1e9)

class Attention:
    def forward(self, scores, mask):
        return hide(scores, mask)

def test_it(scores, mask):
    assert scores.masked_fill(mask == 0, float("-inf")).softmax(-1).nan_to_num()

mask = scores.masked_fill(mask == 0, float("-inf")).where(mask)
if __name__ == "__main__":
    scores = torch.zeros(2).float().masked_fill(mask, float("-inf")).contiguous()
"""


@pytest.mark.parametrize("moved", [False, True])
def test_questions_speak_of_what_was_judged_alone(moved):
    """The class and what it calls, wherever they stand; never one's own checks beside them."""
    first, rest = OWN.split("def test_it")
    checks, script = rest.split("if __name__")
    parts = [f"def test_it{checks}", f"if __name__{script}"]
    source = "\n".join([*parts, first] if moved else [first, *parts])
    report = {"object": "Attention", "checks": [], "functions": []}
    found = dict(own_questions(find("v4"), source, report, 1))
    line = source.splitlines().index("    return scores.masked_fill(mask == 0, -1e9)") + 1
    assert set(found) == {"own:v4:half", "own:v4:empty"}
    assert all(re.search(rf"ine {line}\b", one["en"]["ask"]) for one in found.values())
    assert not facts(find("v4"), source, report)
