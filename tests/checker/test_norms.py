"""Classes with norms: their vectors find their place in many hands, and settings theirs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from attn_kata.checker.client import Options
from attn_kata.checker.judge.case import Case
from attn_kata.checker.judge.drawing import draw
from attn_kata.checker.judge.objects import constructions
from attn_kata.checker.judge.truth import answers, made
from attn_kata.checker.judge.weights import repeated
from attn_kata.checker.judge.weights.readings import drawn, readings
from attn_kata.checker.judge.weights.takes import tables
from attn_kata.checker.process.answers import Entry, Parameter
from attn_kata.checker.vocabulary import constructor_role
from attn_kata.kata.catalogue import find
from attn_kata.kata.modules import Layer, Module, Setting
from attn_kata.kata.slips import slips
from attn_kata.sentences.wording import worded

BLOCK = find("block")
SOURCE = BLOCK.solution()
LAYERS = [
    Layer(name="first_norm", shape=("E",), also=("norm1", "ln1")),
    Layer(name="proj", shape=("F", "E"), also=("p",)),
    Layer(name="second_norm", shape=("E",), also=("norm2", "ln2")),
]
SIZES = {"E": 3, "F": 5}
READ = {
    "layers": ("norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias"),
    "own norms": ("ln1.gamma", "ln1.beta", "ln2.gamma", "ln2.beta"),
    "annotated": ("sub.0.norm.a_2", "sub.0.norm.b_2", "sub.1.norm.a_2", "sub.1.norm.b_2"),
    "numbered": ("gamma1", "beta1", "gamma2", "beta2"),
    "spelt out": ("ln1_scale", "ln1_shift", "ln2_scale", "ln2_shift"),
    "lists": ("g.0", "b.0", "g.1", "b.1"),
    "biases last": ("g1", "b1", "g2", "b2"),
}


@pytest.fixture
def judge(bench, tmp_path):
    """Judge a source under the block's kata."""

    def judged(source: str, language: str = "en", **options: Any):
        path = tmp_path / "mine.py"
        path.write_text(source)
        return worded(next(bench.judge("block", [path], Options(seed=3, **options))), language)

    return judged


@pytest.mark.parametrize("axes", [(3,), (1, 1, 3)], ids=["plain", "with axes of 1"])
@pytest.mark.parametrize("hand", READ)
def test_every_norm_finds_its_place(hand: str, axes: tuple[int, ...]) -> None:
    """The first reading takes each norm's weight and bias, in the order in which they stand."""
    names = READ[hand]
    shapes = {**dict.fromkeys(names, axes), "p.weight": (5, 3), "p.bias": (5,)}
    reading = next(readings(shapes, LAYERS, SIZES, frozenset(["p.weight"])))
    placed = tables(reading, shapes, LAYERS, SIZES)
    assert placed is not None
    found = [placed[f"{norm}.{end}"].tolist() for norm in ("first_norm", "second_norm")
             for end in ("weight", "bias")]  # fmt: skip
    assert found == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]
    assert placed["proj.bias"].tolist() == list(range(27, 32))


def test_one_number_behind_several_names() -> None:
    """`w1` keeps `b1` and `gamma1` keeps `beta1`, though both end in 1."""
    shapes = {"gamma1": (3,), "beta1": (3,), "gamma2": (3,), "beta2": (3,),
              "w1": (3, 5), "b1": (5,)}  # fmt: skip
    reading = next(readings(shapes, LAYERS, SIZES, frozenset()))
    assert {take.layers[0]: take.biases for take in reading} == {
        "proj": ("b1",), "first_norm": ("beta1",), "second_norm": ("beta2",),
    }  # fmt: skip


def test_norms_are_drawn_at_random() -> None:
    """No norm keeps the ones and zeros that it is made with, or an unused one would not show."""
    weights = drawn({"norm.weight": (6,), "norm.bias": (6,)}, 1.5, torch.Generator().manual_seed(1))
    for weight in weights.values():
        assert len(weight.unique()) == 6
        assert not bool(((weight == 1) | (weight == 0)).any())


def test_what_no_name_tells_is_tried(judge) -> None:
    """Norms without telling names are right in either order of their making."""
    assert judge(SOURCE.replace("attention_norm", "one").replace("mlp_norm", "other")).verdict == (
        "pass"
    )
    turned = SOURCE.replace("attention_norm", "zz").replace("mlp_norm", "aa")
    first, second = (f"        self.{n} = nn.LayerNorm(hidden_dim)\n" for n in ("zz", "aa"))
    turned = turned.replace(second, "").replace(first, second + first)
    assert judge(turned).verdict == "pass"


def test_a_norm_without_bias_is_right(judge) -> None:
    """A bias is never asked for."""
    bare = SOURCE.replace("LayerNorm(hidden_dim)", "LayerNorm(hidden_dim, bias=False)")
    assert judge(bare).verdict == "pass"


def test_another_width_is_no_right_answer() -> None:
    """Weights of another width fit an answer that was edited to it, and not the right one."""
    generator = torch.Generator().manual_seed(2)
    case = Case(check="values", sizes=BLOCK.asked.sizes.first())
    given = draw(BLOCK.asked.functions[0], case, generator)
    for name in ("up_proj.weight", "up_proj.bias"):
        given.weights[name] = given.weights[name][::2]
    given.weights["down_proj.weight"] = given.weights["down_proj.weight"][:, ::2]
    right, narrow = answers(BLOCK), answers(BLOCK, ((("4 * hidden_dim", "2 * hidden_dim"),),))
    assert right is not None
    assert narrow is not None
    assert made(narrow["TransformerBlock"], given).results[0].shape == (2, 7, 20)
    with pytest.raises(RuntimeError, match=r"up_proj.weight is \(80, 20\)"):
        made(right["TransformerBlock"], given)


@pytest.mark.costly
def test_dropout_in_eval_mode_is_named(judge) -> None:
    """Chance that comes from a dropout is pointed at, and chance from elsewhere is not."""
    softmax = "masked_scores.softmax(dim=-1)"
    dropped = judge(SOURCE.replace(softmax, f"F.dropout({softmax}, 0.5)"))
    assert [one.mistake for one in dropped.diagnosis] == ["dropout-in-eval"]
    assert "F.dropout" in str(dropped.diagnosis[0].yours)
    noisy = judge(SOURCE.replace(softmax, f"{softmax} * torch.rand_like(scores)"))
    assert [one.mistake for one in noisy.diagnosis] == ["nondeterministic"]


@pytest.mark.parametrize(
    ("name", "role"),
    [("layer_norm_eps", "eps"), ("layer_norm_epsilon", "eps"), ("eps", "eps"), ("n_layer",
     "layers"), ("rope_theta", "flag")],
)  # fmt: skip
def test_an_eps_is_no_number_of_layers(name: str, role: str) -> None:
    """What a norm adds in its root has a role of its own."""
    assert constructor_role(name) == role


def test_an_eps_that_must_be_given(judge) -> None:
    """A constructor that asks for an eps gets the one that torch's norms have."""
    asks = SOURCE.replace("num_heads: int)", "num_heads: int, norm_eps: float)")
    asks = asks.replace("LayerNorm(hidden_dim)", "LayerNorm(hidden_dim, eps=norm_eps)")
    assert judge(asks).verdict == "pass"


def test_one_name_with_two_meanings() -> None:
    """`hidden_dim` is the width, or the MLP's where another argument is the width."""
    module = Module(
        settings=(
            Setting(name="hidden_dim", value="E", also=("embed_dim",)),
            Setting(name="mlp_dim", value="F", also=("hidden_dim",), extra=True),
        ),
        layers=(),
    )
    plain: dict[str, Any] = {"kind": "POSITIONAL_OR_KEYWORD", "has_default": False,
                             "default": None, "annotation": ""}  # fmt: skip
    made_with = [Parameter(**plain, name=n) for n in ("embed_dim", "hidden_dim")]
    entry = Entry(name="A", line=1, arguments=None, constructor=made_with)
    plans = [one.recipe({"E": 3, "F": 5}).kwargs for one in constructions(module, entry)]
    assert {"embed_dim": 3, "hidden_dim": 5} in plans
    alone = replace(entry, constructor=made_with[1:])
    first = next(constructions(module, alone))
    assert first.recipe({"E": 3, "F": 5}).kwargs == {"hidden_dim": 3}


@pytest.mark.costly
def test_a_name_that_several_norms_have_says_nothing(judged):
    """`norm` of the model beside `norm_in` and `norm_out` of its blocks: all orders are tried."""
    source = find("minigpt").solution()
    for name, other in (("attention", "norm_in"), ("mlp", "norm_out"), ("final", "norm")):
        assert f"{name}_norm" in source
        source = source.replace(f"{name}_norm", other)
    assert judged("minigpt", source, device="cpu").verdict == "pass"


def test_what_is_not_given_is_what_it_began_as() -> None:
    """A parameter of an edited answer's own is 1 again, after a call that gave it something."""
    kata = find("qk-norm")
    (edit,) = (
        edit for slip in slips(kata.folder) for edit in slip.edits
        if slip.id == "qk-norm-gain-per-head"
    )  # fmt: skip
    edited = answers(kata, (edit,))
    assert edited is not None
    generator = torch.Generator().manual_seed(3)
    case = Case(check="values", sizes=kata.asked.sizes.first())
    given = draw(kata.asked.functions[0], case, generator)
    heads, head_dim = case.sizes["H"], case.sizes["D"]
    zeros = {"query_gains": torch.zeros(heads, head_dim, dtype=torch.float64)}
    (before,) = made(edited["QKNormAttention"], given).results
    made(edited["QKNormAttention"], replace(given, weights={**given.weights, **zeros}))
    (after,) = made(edited["QKNormAttention"], given).results
    assert torch.equal(before, after)


@pytest.mark.parametrize(
    ("names", "looked"),
    [
        # One object in all places of a list is called after the first.
        (["heads.0.key.weight"], True),
        (["blocks.0.heads.0.key.weight"], True),
        # Blocks are no heads, and heads that have their own share none.
        (["blocks.0.key.weight"], False),
        ([f"blocks.0.heads.{n}.key.weight" for n in range(3)], False),
    ],
)
def test_what_all_heads_may_share(monkeypatch, names: list[str], looked: bool) -> None:
    """A parameter in the shape of a head's share is looked at, if it may stand for one each."""
    asked: list[Any] = []
    monkeypatch.setattr(repeated, "readings", lambda known, *_, **__: asked.append(known) or ())
    in_blocks = names[0].startswith("blocks")
    layers = [
        Layer(name="blocks.0.key_proj" if in_blocks else "key_proj", shape=("E", "E"), also=())
    ]
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(names, (2, 6))
    found = repeated.repeated(shapes, layers, {"E": 6, "H": 3}, frozenset(names), symbols=("H",))
    assert ([*found], bool(asked)) == ([], looked)


QK_NORM = """
import torch
from torch import nn

class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads, head = num_heads, hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.q_norm, self.k_norm = nn.RMSNorm(head{eps}), nn.RMSNorm(head{eps})

    def forward(self, x):
        made = (t.unflatten(2, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        q, k, v = made
        scores = self.q_norm(q) @ self.k_norm(k).mT / q.shape[-1] ** 0.5
        later = torch.ones_like(scores, dtype=torch.bool).triu(1)
        context = scores.masked_fill(later, float("-inf")).softmax(-1) @ v
        return self.out(context.transpose(1, 2).flatten(2))
"""


@pytest.mark.parametrize(("eps", "told"), [(", eps=1e-6", []), ("", ["qk-norm-eps"])])
def test_an_eps_behind_a_bias(judged, eps, told) -> None:
    """Small inputs stay small behind a projection's bias: torch's own eps is none here."""
    report = judged("qk-norm", QK_NORM.format(eps=eps))
    assert [one.mistake for one in report.diagnosis] == told
    assert (report.verdict == "pass") == (not told)


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        ("", ""),
        (
            "\nclass C(typing.TypedDict, total=False):\n    d: int\n    h: int\n    eps: float\n",
            ": C",
        ),
    ],
)
def test_an_eps_that_may_be_told(judged, kind, hint) -> None:
    """A default that a dictionary is asked with is the file's own."""
    own = f'(self, config{hint}):\n        hidden_dim, num_heads = config["d"], config["h"]'
    source = QK_NORM.format(eps=', eps=config.get("eps", 1e-6)')
    source = source.replace("(self, hidden_dim, num_heads):", own)
    source = f"import typing\n{source}".replace("\nclass QK", f"{kind}\nclass QK")
    report = judged("qk-norm", source)
    assert report.verdict == "pass", report.diagnosis
