"""A brief is found one's way in: its sections are called alike in every kata."""

import pytest
from attn_kata.kata.catalogue import katas

SECTIONS = {
    "en": ["What is asked for", "What an interviewer looks at", "Not asked for", "Sources", "Next"],
    "zh": ["要写什么", "面试官在看什么", "不要求的", "出处", "接下来"],
}


@pytest.mark.parametrize("language", SECTIONS)
def test_sections(language):
    """Every brief has them, in this order."""
    for kata in katas():
        lines = kata.brief(language).split("\n")
        found = [line.removeprefix("## ") for line in lines if line.startswith("## ")]
        assert [one for one in found if one in SECTIONS[language]] == SECTIONS[language], kata.id
