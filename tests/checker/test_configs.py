"""Settings that come in one object: fields by name, by synonym, and where names say nothing."""

from __future__ import annotations

import pytest

HEAD = """
import torch
from dataclasses import dataclass
from torch import nn

@dataclass
class Settings:
{fields}

"""
# Of a block `hidden_dim` is the width, though it is an MLP's to some.
BLOCK = """
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Settings):
        super().__init__()
        width, self.heads = cfg.{width}, cfg.num_heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, {wide}), nn.Linear({wide}, width)

    def forward(self, x):
        made = (layer(self.first(x)) for layer in (self.q, self.k, self.v))
        q, k, v = (one.unflatten(2, (self.heads, -1)).transpose(1, 2) for one in made)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(later, float("-inf")).softmax(-1)
        x = x + self.o((weights @ v).transpose(1, 2).flatten(2))
        return x + self.down(nn.functional.gelu(self.up(self.second(x))))
"""
GROUPED = """
class GroupedQueryAttention(nn.Module):
    def __init__(self, cfg: Settings):
        super().__init__()
        self.h, self.g = cfg.num_heads, cfg.kvh
        self.d = cfg.hidden_dim // self.h
        self.q = nn.Linear(cfg.hidden_dim, cfg.hidden_dim)
        self.k, self.v = (nn.Linear(cfg.hidden_dim, self.g * self.d) for _ in range(2))
        self.o = nn.Linear(cfg.hidden_dim, cfg.hidden_dim)

    def forward(self, x, attention_mask=None):
        split = [one(x).unflatten(2, (-1, self.d)) for one in (self.q, self.k, self.v)]
        q, k, v = (one.transpose(1, 2) for one in split)
        k, v = (one.repeat_interleave(self.h // self.g, 1) for one in (k, v))
        scores = q @ k.mT / self.d ** 0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
"""
IMPORTS = """
import torch
from collections import namedtuple
from dataclasses import dataclass, field
from typing import NamedTuple, TypedDict
from torch import nn

"""
PLAIN = """

class MultiHeadAttention(nn.Module):
    def __init__(self, {given}):
        super().__init__()
        width, self.heads = {read}
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
        self.drop = nn.Dropout({rate})

    def forward(self, x, attention_mask=None):
        made = (layer(x).unflatten(2, (self.heads, -1)) for layer in (self.q, self.k, self.v))
        q, k, v = (one.transpose(1, 2) for one in made)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        return self.o((self.drop(scores.softmax(-1)) @ v).transpose(1, 2).flatten(2))
"""
PARTS = """
@dataclass
class Parts:
    q: int = 4

@dataclass
class S:
    wide: int
    heads: Parts = field(default_factory=Parts)
"""
MADE = """
class S:
    def __init__(self, wide, parts):
        self.wide, self.parts = wide, parts
"""
HALF = """    @property
    def half(self):
        return self.wide // 2

class Split:
    def __init__(self, n):
        self.n = n
"""
# What the file has, what the constructor takes, and what it reads.
KINDS = {
    "tuple": ("class S(NamedTuple):\n    a: int\n    b: int\n", "o: S", "o.a, o.b"),
    "named tuple": ('S = namedtuple("S", "wide parts")\n', "o: S", "o.wide, o.parts"),
    "default": ('S = namedtuple("S", "D H", defaults=(64, 4))\n', "o=S()", "o.D, o.H"),
    "dict": ("SMALL = dict(wide=8, parts=2)\n", "o=SMALL", 'o["wide"], o["parts"]'),
    "typed": ("class S(TypedDict):\n    a: int\n    b: int\n", "o: S", 'o["a"], o["b"]'),
    "parts": (PARTS, "o: S", "o.wide, o.heads.q"),
    "made": (MADE, "o: S", "o.wide, o.parts"),
    "items": ("", "o", 'o["wide"], o["lanes"]'),
    "items of parts": ("", "o", 'o["a"]["wide"], o["b"].get("lanes")'),
    "attributes": ("", "cfg", "cfg.wide, getattr(cfg, 'lanes')"),
    "one alone": ("", "o", "o.w.wide, o.w.lanes"),
    "one of two": (PARTS, "o", "o.wide, o.heads.q"),
    # What it works out is no setting, and what the class makes for itself is another kind.
    "worked out": (f"{PARTS}{HALF}", "o", "max(o.wide, 2 * o.half), Split(o.heads.q).n"),
    # The file's one record is another's.
    "another's": ("@dataclass\nclass S:\n    wide: int\n", "cfg", "S(cfg.wide).wide, cfg.lanes"),
}
# By its name a rate, and beside one a width.
RATES = {"items": 'cfg["p"], cfg["h"]', "attributes": "cfg.p, cfg.h"}
PART = """
class DotProductAttention(nn.Module):
    def forward(self, q, k, v, mask=None):
        return (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v

"""


def fields(*rows: str) -> str:
    """A dataclass of these fields."""
    return HEAD.format(fields="\n".join(f"    {row}" for row in rows))


@pytest.mark.parametrize("way", RATES)
def test_of_two_rates_one_is_a_width(judged, way) -> None:
    """What has no default beside what is plainly the rate is no rate."""
    rate = 'cfg.get("drop", 0.0)' if way == "items" else 'getattr(cfg, "drop", 0.0)'
    own = PLAIN.format(given="cfg", read=RATES[way], rate=rate)
    assert judged("mha", HEAD.partition("@dataclass")[0] + own).verdict == "pass"


@pytest.mark.parametrize("hint", [": Settings", ""])
def test_names_that_say_nothing(judged, hint) -> None:
    """They are taken as a constructor's arguments of these names are, by kind and by order."""
    made = fields("parts: int", "each: int", "loss: float = 0.1")
    read = "cfg.parts * cfg.each, cfg.parts"
    own = PLAIN.format(given=f"cfg{hint}", read=read, rate="cfg.loss")
    assert judged("mha", made + own).verdict == "pass"


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_objects(judged, kind) -> None:
    """What holds the settings is known by its annotation or its default, whatever it is called."""
    made, given, read = KINDS[kind]
    report = judged("mha", IMPORTS + made + PLAIN.format(given=given, read=read, rate=0.1))
    assert report.verdict == "pass", report.error


@pytest.mark.parametrize(
    ("made", "given", "read"),
    [
        (fields("dim: int", "heads: int", "dropout: float = 0.1"), "o: Settings", "o.dim, o.heads"),
        (IMPORTS, "o", 'o["dim"], o["heads"] + 0 * int(o.get("dropout", 0.1))'),
    ],
)
def test_a_rate_that_is_not_used(judged, made, given, read) -> None:
    """The rate in a configuration is to be the rate of its dropout."""
    report = judged("mha", made + PLAIN.format(given=given, read=read, rate=0.5))
    assert [one.mistake for one in report.diagnosis] == ["dropout-rate-wrong"]


def test_what_need_not_be_told(judged) -> None:
    """A setting that the kata knows nothing of keeps what the file has for it, words too."""
    read = "cfg.dim, cfg.heads"
    own = PLAIN.format(given="cfg", read=read, rate='getattr(cfg, "dropout", 0.1)')
    asked = (
        'super().__init__()\n        assert getattr(cfg, "rank", 3) == cfg.get("flash", 3) == 3'
        '\n        assert {"seen": 1}[cfg.get("mask", "seen")] == 1'
    )
    report = judged("mha", IMPORTS + own.replace("super().__init__()", asked))
    assert report.verdict == "pass", report.error


def test_a_configuration_within_another(judged) -> None:
    """A field that may hold one, and need not, is no size."""
    made = fields("dim: int", "heads: int", "n: int", "config: int = None")
    own = PLAIN.format(given="o: Settings", read="o.dim, o.heads", rate="0.1 + 0 * o.n")
    report = judged("mha", made + own)
    assert report.verdict == "pass", report.error


def test_a_helper_is_no_configuration(judged) -> None:
    """What an argument may be left out for is left out, though it holds numbers."""
    made = "class Table:\n    def __init__(self, dim, base=10):\n        raise ValueError\n"
    own = PLAIN.format(given="dim, num_heads, table: Table = None", read="dim, num_heads", rate=0.1)
    report = judged("mha", IMPORTS + made + own)
    assert report.verdict == "pass", report.error


def test_a_kind_that_tells_nothing_of_itself(judged) -> None:
    """It takes nothing away from the class that has an argument of it."""
    made = "class Odd:\n    __init__ = property(lambda self: 1 / 0)\n"
    own = PLAIN.format(given="dim, num_heads, odd: Odd = 0", read="dim, num_heads", rate=0.1)
    report = judged("mha", IMPORTS + made + own)
    assert report.verdict == "pass", report.error


def test_one_name_of_three(judged) -> None:
    """What is left over is what no other field asks for."""
    made = fields("hidden_dim: int", "num_heads: int", "kvh: int")
    assert judged("gqa", made + GROUPED).verdict == "pass"


def test_letters(judged) -> None:
    """Two that could both be the width are taken by their order, where one for both raises."""
    letters = {"cfg: Settings": "cfg", "hidden_dim": "E", "num_heads": "H", "kvh": "K"}
    own = GROUPED.replace("self.h, self.g = ", "_, self.h, self.g = cfg.hidden_dim, ")
    for name, letter in letters.items():
        own = own.replace(name, letter)
    report = judged("gqa", IMPORTS + own)
    assert report.verdict == "pass", report.error


@pytest.mark.parametrize(
    ("rows", "width", "wide"),
    [
        (("hidden_dim: int", "num_heads: int"), "hidden_dim", "4 * width"),
        (("dim: int", "hidden_dim: int", "num_heads: int"), "dim", "cfg.hidden_dim"),
    ],
)
def test_one_name_for_two_widths(judged, rows, width, wide) -> None:
    """`hidden_dim` alone is the width, beside another one it is the MLP's."""
    report = judged("block", fields(*rows) + BLOCK.format(width=width, wide=wide))
    assert (report.verdict, report.diagnosis) == ("pass", [])


def test_what_is_wrong_is_named_all_the_same(judged) -> None:
    """A mistake is found in an object that was made by such a reading."""
    made = fields("hidden_dim: int", "num_heads: int", "kvh: int")
    report = judged("gqa", (made + GROUPED).replace(" / self.d ** 0.5", ""))
    assert [one.mistake for one in report.diagnosis] == ["scale-missing"]


def test_the_whole_and_not_its_part(judged) -> None:
    """A class that takes all settings in one object is the whole, as one that lists them is."""
    made = fields("hidden_dim: int", "num_heads: int", "dropout: float = 0.1")
    read = "cfg.hidden_dim, cfg.num_heads"
    own = PLAIN.format(given="cfg: Settings", read=read, rate="cfg.dropout")
    own = own.replace("class MultiHeadAttention", "class Attention")
    own = own.replace(
        "super().__init__()\n", "super().__init__()\n        self.part = DotProductAttention()\n"
    )
    report = judged("mha", made + PART + own)
    assert report.verdict == "pass", report.diagnosis
