"""What a candidate says is understood: topics, assumptions, thinking aloud, and what is wanted."""

from pathlib import Path

import pytest
from attn_kata.practice.interview.commands import command_said
from attn_kata.practice.interview.hearing.topics import topics_heard
from attn_kata.practice.interview.requirements import topics

PHRASINGS = Path(__file__).parent / "phrasings"
SETS = ("tuned", "held", "other", "apart")


def lines(half, language):
    """The lines of a set, each with the topics that it asks about, if any."""
    rows = (PHRASINGS / f"{half}.{language}.txt").read_text("utf-8").splitlines()
    return [(set(row.partition("|")[0].split()), row.partition("|")[2].strip()) for row in rows]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("half", "floor"), [("tuned", 0.97), ("held", 0.95), ("other", 0.95), ("apart", 0.95)]
)
def test_what_is_asked_is_understood(half, language, floor):
    """Nearly all of what people ask is recognised, with every topic that it has."""
    asked = [(wanted, text) for wanted, text in lines(half, language) if wanted]
    missed = [text for wanted, text in asked if not wanted <= set(topics_heard(text).topics)]
    assert len(missed) <= (1 - floor) * len(asked), missed


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("half", SETS)
def test_what_asks_nothing_is_not_answered(half, language):
    """Thinking aloud, chatting, a list of keywords, a question about one's own code."""
    silent = [text for wanted, text in lines(half, language) if not wanted]
    answered = [text for text in silent if topics_heard(text).topics]
    assert len(answered) <= 0.02 * len(silent), answered


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("half", SETS)
def test_what_is_not_asked_is_not_answered_along(half, language):
    """A word in passing adds no topic: nearly always those found are exactly those wanted."""
    asked = [(wanted, text) for wanted, text in lines(half, language) if wanted]
    more = [text for wanted, text in asked if set(topics_heard(text).topics) - wanted]
    assert len(more) <= 0.05 * len(asked), more


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Are q, k and v each (B, T, D)?", ("shape",)),
        ("I assume x is BxTxD", ("shape",)),
        ("Is the mask (B, T) or (B, H, Tq, Tk)?", ("mask",)),
        ("does the mask hold (0, 1)?", ("meaning",)),
        ("Will you call forward(x, mask=None)?", ("names",)),
        ("Could the mask be None?", ("mask",)),
        ("qkv w/o bias?", ("bias",)),
        ("what's the head dimension?", ("heads",)),
        ("接口是 forward(x, mask=None) 吗？", ("names",)),
        ("mask 是 (B, 1, T, T) 的还是 (T, T) 的？", ("mask",)),
    ],
)
def test_code_in_a_sentence_is_read_as_what_it_stands_for(text, found):
    """A tuple is a shape, a call a signature; what is written in them is no topic."""
    assert topics_heard(text).topics == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("additive float mask or boolean mask?", ("entries",)),
        ("is it a bool mask with True for keep?", ("meaning", "entries")),
        ("Can I ignore masking and let everything see everything?", ("mask",)),
        ("What about a row where everything is hidden?", ("empty",)),
        ("How are the constructor arguments named, d_model and num_heads?", ("names",)),
        ("我可以假设 mask 是 torch.bool 吗？", ("entries",)),
        ("nn.MultiheadAttention 不能用，对吧？", ("library",)),
    ],
)
def test_a_topic_hides_what_is_only_mentioned(text, found):
    """Where two topics share their words, the one that is asked about is found."""
    assert topics_heard(text).topics == found


@pytest.mark.parametrize("language", ["en", "zh"])
def test_topics_are_those_that_can_be_answered(language):
    """Nothing is recognised that has no answer, and every answer can be asked for."""
    known = {topic.id for topic in topics()}
    named = {one for half in SETS for wanted, _ in lines(half, language) for one in wanted}
    assert named == known


@pytest.mark.parametrize(
    ("before", "text", "found"),
    [
        ("is there a mask?", "and its dtype?", ("entries",)),
        ("", "and its dtype?", ("precision",)),
        ("should there be dropout?", "and where does it go?", ("dropout",)),
        ("is there a mask?", "does 1 in it mean keep?", ("meaning",)),
        ("有 mask 吗？", "那它的类型呢？", ("entries",)),
        ("is there a mask?", "and how many heads?", ("heads",)),
    ],
)
def test_a_pronoun_stands_for_what_was_said_before(before, text, found):
    """What has come up need not be named again."""
    subject = topics_heard(before).subject if before else ""
    assert topics_heard(text, subject).topics == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I'm going with no mask for now, ok", ("mask",)),
        ("I assume 1 in the mask means keep, right", ("meaning",)),
        ("dropout p, is 0.1 fine", ("dropout",)),
        ("how did that go again, softmax over the last dim, right", ()),
        ("and dropout comes last, done", ()),
        ("I need to check the shape first", ()),
        ("那我就用 masked_fill 吧", ()),
        ("那我就当没有 mask 吧", ("mask",)),
    ],
)
def test_an_assumption_is_told_from_talk_to_oneself(text, found):
    """Without a question mark too: what is to be agreed to, and what has been answered at once."""
    assert topics_heard(text).topics == found


def test_a_name_alone_is_vague():
    """Where the mask is named and no more, there is nothing yet to say about it."""
    assert topics_heard("what about the mask?").vague
    assert topics_heard("mask?").vague
    assert not topics_heard("is there a mask?").vague
    assert not topics_heard("is the mask boolean?").vague
    assert not topics_heard("mask and dropout?").vague


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("let's start", "start"),
        ("Okay, let's start!", "start"),
        ("I'm done", "submit"),
        ("Can I get a hint?", "hint"),
        ("how much time is left?", "time"),
        ("end the interview", "end"),
        ("let's skip this one", "skip"),
        ("could you repeat that?", "brief"),
        ("what's wrong with it?", "more"),
        ("好的，那开始吧", "start"),
        ("我写完了", "submit"),
        ("给个提示吧", "hint"),
        ("还剩多少时间？", "time"),
        ("跳过这题", "skip"),
        ("结束面试", "end"),
        ("I am done with the mask", ""),
        ("I'd start with the projections", ""),
        ("how long can the sequences be?", ""),
        ("我先结束这个循环", ""),
    ],
)
def test_what_is_wanted_is_understood_as_a_whole_line(line, name):
    """A command may be said in other words, and only where the line says nothing else."""
    assert command_said(line) == name
