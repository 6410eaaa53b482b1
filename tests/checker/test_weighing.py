"""Classes with weights and state: found, made, read in many hands, and called in sequences."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest
import torch
from attn_kata.checker.client import Options
from attn_kata.checker.judge.drawing import draw
from attn_kata.checker.judge.sequences import KINDS, sequence
from attn_kata.checker.judge.truth import Ready, answers, made
from attn_kata.checker.judge.weights.readings import readings
from attn_kata.checker.judge.weights.takes import tables
from attn_kata.kata.catalogue import find, katas
from attn_kata.kata.modules import Layer, read_module
from attn_kata.kata.reading import BadContract, read_asked
from attn_kata.sentences.wording import worded

STATEFUL = [
    kata for kata in katas() if kata.kind == "module" and kata.asked.functions[0].state is not None
]
LAYERS = [
    Layer(name="query_proj", shape=("E", "E"), also=("q", "query")),
    Layer(name="key_proj", shape=("G", "E"), also=("k", "key")),
    Layer(name="value_proj", shape=("G", "E"), also=("v", "value")),
]
SIZES = {"E": 6, "G": 2}
CACHED = find("kvcache").solution()
GROUPED = find("gqa").solution()


@pytest.fixture
def judge(bench, tmp_path):
    """Judge a source under a kata."""

    def judged(source: str, kata: str = "gqa", language: str = "en", **options: Any):
        path = tmp_path / "mine.py"
        path.write_text(source)
        return worded(next(bench.judge(kata, [path], Options(seed=3, **options))), language)

    return judged


@pytest.mark.parametrize("kata", STATEFUL, ids=lambda kata: kata.id)
@pytest.mark.parametrize("kind", KINDS)
def test_pieces_give_what_the_whole_gives(kata, kind: str) -> None:
    """A model answer with a state, called piece by piece, gives its own full pass."""
    function = kata.asked.functions[0]
    truth = answers(kata)
    assert truth is not None
    draws = torch.Generator().manual_seed(4)
    calls = sequence(function, kata.asked.sizes.first(), kind, lambda c: draw(function, c, draws))
    weights = calls[-1][1].weights
    held: dict[str, torch.Tensor] = {}
    started: dict[str, dict[str, torch.Tensor]] = {}
    for _, given in calls:
        x = given.tensors["x"]
        whole = torch.cat([held[given.carried], x], 1) if given.carried else x
        held[given.kept] = whole
        alone = replace(given, weights=weights, before=())
        module = Ready(cast("type", truth[function.name]), alone).module
        # What else a sequence is given counts in its first call.
        started[given.kept] = started.get(given.carried) or given.tensors
        right = module(**{**started[given.kept], "x": whole})[0][:, -x.shape[1] :]

        mine = made(truth[function.name], replace(given, weights=weights)).results[0]
        torch.testing.assert_close(mine, right)


READ = {
    "named": {"q.weight": (6, 6), "k.weight": (2, 6), "v.weight": (2, 6)},
    "raw": {"w_q": (6, 6), "w_k": (6, 2), "w_v": (6, 2)},
    "stacked": {"qkv.weight": (10, 6)},
    "two stacked": {"wq.weight": (6, 6), "kv.weight": (4, 6)},
    "unnamed": {"a.weight": (6, 6), "b.weight": (2, 6), "c.weight": (2, 6)},
    "a list": {"q.weight": (6, 6), "key.0.weight": (1, 6), "key.1.weight": (1, 6),
               "v.weight": (2, 6)},
    "three axes": {"w_q": (6, 3, 2), "w_k": (6, 1, 2), "w_v": (6, 1, 2)},
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_every_weight_finds_its_place(name: str) -> None:
    """Each reading takes every entry of every parameter once."""
    shapes = READ[name]
    found = list(readings(shapes, LAYERS, SIZES, frozenset()))
    assert found
    for reading in found:
        placed = tables(reading, shapes, LAYERS, SIZES)
        assert placed is not None
        entries = torch.cat([one.flatten() for n, one in placed.items() if n.endswith("weight")])
        assert entries.sort().values.tolist() == list(range(36 + 24))
        assert all(one.eq(-1).all() for n, one in placed.items() if n.endswith("bias"))


def test_the_second_of_two_is_no_bias() -> None:
    """A plain parameter of two axes whose name a kata knows is a weight, `b` or not."""
    layers = [*LAYERS[:2], Layer(name="value_proj", shape=("G", "E"), also=("v", "v_b"))]
    shapes = {"w_q": (6, 6), "w_k": (2, 6), "v_b_proj": (2, 6), "b_k": (2,)}
    first = next(readings(shapes, layers, SIZES, frozenset()))
    assert {take.layers: (take.names, take.biases) for take in first} == {
        ("query_proj",): (("w_q",), ()), ("key_proj",): (("w_k",), ("b_k",)),
        ("value_proj",): (("v_b_proj",), ()),
    }  # fmt: skip


def test_stacked_parts_of_several_widths_go_by_head_first() -> None:
    """What comes in as many parts is read part by part before block by block."""
    layers = [
        Layer(name="content", shape=("H * D", "E")),
        Layer(name="rope", shape=("H * R", "E")),
    ]
    sizes = {"E": 7, "H": 2, "D": 3, "R": 5}
    found = readings({"a.weight": (16, 7)}, layers, sizes, frozenset(["a.weight"]), symbols="HDR")
    ways = [take.parts for (take,) in found if take.layers[0] == "content"]
    assert ways == ["H", ""]


def test_rows_may_alternate_one_by_one() -> None:
    """Two layers of one shape are found where every second row is the other's."""
    layers = [Layer(name=name, shape=("H * D", "E")) for name in ("key", "value")]
    sizes = {"E": 7, "H": 2, "D": 3}
    found = readings({"a.weight": (12, 7)}, layers, sizes, frozenset(["a.weight"]), symbols="HD")
    ways = [take.parts for (take,) in found if take.layers[0] == "key"]
    assert ways == ["", "H", "D", "H * D"]


def test_a_name_holds() -> None:
    """A parameter that is plainly named for a layer is taken for no other."""
    shapes = {"key.weight": (2, 6), "value.weight": (2, 6), "query.weight": (6, 6)}
    for reading in readings(shapes, LAYERS, SIZES, frozenset(shapes)):
        assert {take.layers: take.names for take in reading} == {
            ("query_proj",): ("query.weight",), ("key_proj",): ("key.weight",),
            ("value_proj",): ("value.weight",),
        }  # fmt: skip


@pytest.mark.costly
def test_swapped_names_fail(judge) -> None:
    """A layer named for another part than it plays fails, though the attention is right."""
    swapped = GROUPED.replace("self.key_proj(x)", "self.SWAP(x)")
    swapped = swapped.replace("self.value_proj(x)", "self.key_proj(x)")
    assert judge(swapped.replace("self.SWAP(x)", "self.value_proj(x)")).verdict == "fail"


def test_roles_are_told(judge) -> None:
    """The report says which parameters are which."""
    report = judge(GROUPED)
    assert report.roles["query_proj"] == "query_proj.weight, query_proj.bias"


def test_unused_parameter_earns_a_remark(judge) -> None:
    """A layer that does nothing is pointed at, and the code is right all the same."""
    more = "self.output_proj = nn.Linear(hidden_dim, hidden_dim)"
    report = judge(GROUPED.replace(more, f"{more}\n        self.spare = nn.Linear(3, 3)"))
    assert report.verdict == "pass"
    assert {one.id for one in report.remarks} == {"parameter-unused"}


@pytest.mark.parametrize(
    ("source", "kind", "told"),
    [
        ("def gqa(x):\n    return x", "no-class", "class `GroupedQueryAttention`"),
        ("x = 1", "no-class", "GroupedQueryAttention"),
        (GROUPED.replace("num_kv_heads: int)", "num_kv_heads: int, *, flavour)"), "construct",
         "flavour"),
        (GROUPED.replace("x.shape", "y.shape", 1), "forward", "y"),
        (GROUPED.replace("        return output", "        return None"), "forward", "return"),
    ],
)  # fmt: skip
def test_what_cannot_be_judged(judge, source: str, kind: str, told: str) -> None:
    """What is no class, cannot be made or cannot be called is told with its reason."""
    report = judge("import torch\nfrom torch import nn\n" * ("import" not in source) + source)
    assert report.verdict == "error"
    assert report.error is not None
    assert report.error.kind == kind
    assert told in report.error.message


def test_no_cache_comes_back(judge) -> None:
    """A result without a state is said, and named, in both languages."""
    alone = CACHED.replace("return output, (key, value)", "return output")
    for language, words in (("en", "no `cache` came back"), ("zh", "没有返回")):
        report = judge(alone, "kvcache", language=language)
        assert [one.mistake for one in report.diagnosis] == ["state-not-returned"]
        assert any(words in one.detail for one in report.checks if one.status == "fail")


def test_kept_on_the_object(judge) -> None:
    """A cache on the object is state, and not chance."""
    held = CACHED.replace(
        "if cache is not None", "if (cache := self.__dict__.get('c')) is not None"
    )
    report = judge(held.replace("return output", "self.c = key, value\n        return output"),
                   "kvcache")  # fmt: skip
    assert report.verdict == "fail"
    assert "cache-on-self" in [one.mistake for one in report.diagnosis]
    assert "nondeterministic" not in [one.mistake for one in report.diagnosis]


SETTING = {"name": "hidden_dim", "value": "E"}
LAYER = {"name": "proj", "shape": ["E", "E"]}


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"setting": [SETTING]}, "needs settings and layers"),
        ({"setting": [SETTING], "layer": [{**LAYER, "shape": ["E"] * 3}]}, "one axis or two"),
        ({"setting": [{**SETTING, "usual": 1}], "layer": [LAYER]}, "no key `usual`"),
    ],
)
def test_bad_module(row: dict[str, Any], told: str) -> None:
    """What a class is made with is held to its form."""
    with pytest.raises(BadContract, match=told):
        read_module("class A", row)


def test_a_state_needs_what_is_cut() -> None:
    """A state says which size is cut into pieces."""
    one = {"name": "cache", "is": "state"}
    with pytest.raises(BadContract, match="along"):
        read_asked({"sizes": {"E": [2]}, "axes": {"E": "width"},
                    "class": [{"name": "A", "argument": [one]}]})  # fmt: skip
