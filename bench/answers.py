"""How often free answers are read wrongly, on answers of people who saw the points alone.

`tests/interview/answers/unseen.*.txt` holds them: under each question a good answer, which makes
all of its points, a reversed one and one beside the point; `unseen-partly.*.txt` right ones that
make some points and not others. Nothing is tuned on them and no test reads them; whoever looks into
them to mend something writes new ones.

    python bench/answers.py
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from pathlib import Path

from attn_kata.dev.reading import answers_in, made_in
from attn_kata.practice.interview.reading.points import heard

FOLDER = Path(__file__).parent.parent / "tests" / "interview" / "answers"
KINDS = {
    "+": "good", "-": "reversed", "~": "beside",
    "made": "partial, points made", "not": "partial, points not made",
}  # fmt: skip


def main() -> None:
    """Read the answers, and print the share of points that is heard."""
    print("| language | answers | points heard | of | share |")
    print("|---|---|---|---|---|")
    for language in ("en", "zh"):
        made, whole = Counter[str](), Counter[str]()
        files = [FOLDER / f"{stem}.{language}.txt" for stem in ("unseen", "unseen-partly")]
        for name, sign, text in chain.from_iterable(map(answers_in, files)):
            found = heard(name, text)
            for one, said in zip(found, made_in(sign, len(found)), strict=True):
                told = ("made" if said else "not") if sign.startswith("%") else sign
                made[told] += one
                whole[told] += 1
        for sign, kind in KINDS.items():
            share = 100 * made[sign] / whole[sign]
            print(f"| {language} | {kind} | {made[sign]} | {whole[sign]} | {share:.0f} % |")


if __name__ == "__main__":
    main()
