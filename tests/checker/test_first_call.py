"""What a function keeps between calls is told as that, and only where it makes calls wrong."""

import pytest
from attn_kata.checker.client import Options
from attn_kata.kata.catalogue import find

ANSWER = find("drill-mask").solution()
KEPT = {
    "a global": (
        "_kept = None\n",
        "    global _kept\n    if _kept is None:\n        _kept = {made}\n    return _kept\n",
        "        _kept = ",
    ),
    "a table without its key": (
        "_kept = {}\n",
        "    if 0 not in _kept:\n        _kept[0] = {made}\n    return _kept[0]\n",
        "        _kept[0] = ",
    ),
    "the function itself": (
        "",
        "    if not vars(causal_mask):\n        causal_mask.k = {made}\n    return causal_mask.k\n",
        "        causal_mask.k = ",
    ),
}
MADE = "torch.ones(length, length, dtype=torch.bool).{way}()"


def told(bench, tmp_path, before, body, way="tril"):
    """The mistakes and their lines in causal_mask, written so."""
    head, found, rest = ANSWER.partition("def causal_mask")
    after = rest[rest.index("\n\n\n") :] if "\n\n\n" in rest else ""
    made = MADE.format(way=way)
    own = f"{found}(length):\n{body.replace('{made}', made)}"
    path = tmp_path / "mine.py"
    path.write_text(f"{head}{before}{own}{after}")
    rows = path.read_text().split("\n")
    report = next(bench.judge("drill-mask", [path], Options(seed=3)))
    return report.verdict, [
        (one.mistake, rows[one.line - 1] if one.line else "") for one in report.diagnosis
    ]


@pytest.mark.parametrize("way", KEPT)
def test_kept(bench, tmp_path, way):
    """A mask of the first length that was asked for is kept: no claim is made of lengths."""
    before, body, line = KEPT[way]
    verdict, [(mistake, row)] = told(bench, tmp_path, before, body)
    assert (verdict, mistake) == ("fail", "nondeterministic")
    assert row.startswith(line)


def test_kept_by_its_length(bench, tmp_path):
    """What is kept by its length is right, and a mistake in it is named as ever."""
    before = "_kept = {}\n"
    body = "    if length not in _kept:\n        _kept[length] = {made}\n    return _kept[length]\n"
    assert told(bench, tmp_path, before, body)[0] == "pass"
    verdict, [(mistake, _)] = told(bench, tmp_path, before, body, way="triu")
    assert (verdict, mistake) == ("fail", "causal-inverted")
