"""What a report says is said of code of which it is true, and not of what is nearest to that."""

from __future__ import annotations

import dataclasses
import os
import threading
from pathlib import Path
from unittest.mock import Mock

import pytest
from attn_kata.checker.client import Options
from attn_kata.checker.judge import source
from attn_kata.checker.judge.case import Case
from attn_kata.kata.catalogue import Kata, find

SOFTMAX = "weights = masked_scores.softmax(dim=-1)"
DROPPED = "self.dropout(weights)"
OUT = "        return output\n"
FORWARD = "    def forward"
ROOT = """    kept = None

    def root(self, x):
        if self.kept is None:
            self.kept = x.new_full((1,), self.hidden_dim).sqrt()
        return {root}

    def forward"""
ALONE = "        dropped_weights = self.dropout(weights)"
WHERE = """        dropped_weights = weights
        if attention_mask is {what}:
            dropped_weights = self.dropout(weights)"""
TIED = """        self.value_proj.weight = nn.Parameter(self.key_proj.weight.data{copied})
        self.dropout ="""
LATE = "        key_length = key.shape[2]\n"
FLIPPED = """        if cache is not None and {when}:
            value = value.flip(2)
        key_length = key.shape[2]
"""
BY_SIZE = """weights = masked_scores.softmax(dim=-1)
    size = (query - query).square().sum(-1, keepdim=True)
    weights = weights * {safe}"""
BEGUN = "        super().__init__()\n"
# With these the class sets too many attributes to tell them all.
MANY = "        self.a = self.b = self.c = self.d = self.e = self.f = 0\n"
KEY = "        self.key_proj = nn.Linear(hidden_dim, hidden_dim)\n"

CORPUS = Path(__file__).parent.parent / "corpus"
TABLE = Path(__file__).with_name("said.tsv").read_text("utf-8")
ROWS = [line.split("\t") for line in TABLE.splitlines() if not line.startswith("#")]
PAIRS = "weights * self.dropout(torch.{}){}[:, : weights.shape[1]]"
CONTEXT = "context = dropped_weights @ value"
CONTEXT_V1 = "context = weights @ value"
HELD = {
    "            lengths = memory_lengths\n": "            self.held = lengths = memory_lengths\n"
}
HEAD_V1, MIXED = "class SelfAttentionV1(nn.Module):", "context = Mixed.apply(value, "
OWN = """import torch


class Mixed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value, weights):
        ctx.save_for_backward(value, weights)
        return weights @ value

    @staticmethod
    def backward(ctx, grad):
        value, weights = ctx.saved_tensors
        return weights.mT @ grad, {} @ value.mT


"""
PUT = """context = x.clone()
        context[:] = weights @ value[..., :2]"""
TWO = """class One(nn.Module):
    def forward(self, x):
        return x


class {}(nn.Module)"""
KEY_T = "key.transpose(-2, -1)"
THREE = "nn.ModuleList(nn.Linear(hidden_dim, hidden_dim) for _ in range(3))"
THIRDS = "torch.cat([one(x) for one in self.qkv_proj], dim=-1)"
TORCH = {"import math": "import math\nimport torch"}
ROOT_OF = "/ math.sqrt(self.hidden_dim)"
TIMES = TORCH | {ROOT_OF: f"{ROOT_OF} * self.one"}
ONE = "        self.one = torch.ones(1)\n"
BUFFER = '        self.register_buffer("one", torch.ones(1))\n'

# The sentence, the kata, and how the model answer is changed where it is said and where not.
SAID = {
    "returns-nested": (
        "v1", {"import math": "import math\nimport torch",
               "return context": "return torch.nested.nested_tensor(list(context))"},
        {"return context": "return list(context)"},
    ),
    "fail-not-module": (
        "v3", {"(nn.Module)": "", "        super().__init__()\n": ""},
        {"(nn.Module)": "(nn.Module)"},
    ),
    "fail-unturned": (
        "v1", {"math.sqrt(self.hidden_dim)": "self.root(x)",
               FORWARD: ROOT.format(root="self.kept")},
        {"math.sqrt(self.hidden_dim)": "self.root(x)",
         FORWARD: ROOT.format(root="self.kept.to(x.dtype)")},
    ),
    "direct-alone": (
        "attention-module", {"return output, None": "return output"},
        {"return output, None": "return [output, None]"},
    ),
    "returns-more": (
        "attention-module", {"return output, averaged": "return output, averaged, weights"},
        {"return output, averaged": "return [output, averaged]"},
    ),
    "returns-tuple-later": (
        "v1", {"return context": "return weights, context"},
        {"return context": "return context, weights"},
    ),
    "direct-count": (
        "layernorm", {"return grad_x, grad_weight, grad_bias": "return grad_x, grad_weight"},
        {"return grad_x, grad_weight, grad_bias": "return grad_x, grad_weight, grad_bias, None"},
    ),
    "direct-integers": (
        "drill-expand", {"return apart": "return apart.float()"}, {"return apart": "return +apart"},
    ),
    "layers-shared-as-one": (
        "mha", {KEY: "", "self.key_proj(x)": "self.query_proj(x)"},
        {"self.key_proj(x)": "self.query_proj(x)"},
    ),
    "layers-shared-memory": (
        "mha", {"        self.dropout =": TIED.format(copied="")},
        {"        self.dropout =": TIED.format(copied=".clone()")},
    ),
    "heads-share-projection-whole": (
        "mha", {"self.key_proj = nn.Linear(hidden_dim, hidden_dim)":
                "self.key_proj = nn.Linear(hidden_dim, self.head_dim)",
                "self.key_proj(x).view(split).transpose(1, 2)": "self.key_proj(x)[:, None]"},
        {"self.key_proj(x).view(split)": "self.key_proj(x).view(split)[:, :, :1].expand(split)"},
    ),
    "dropout-along-key": (
        "v3", {DROPPED: "weights * self.dropout(torch.ones_like(weights[..., :1]))"},
        {DROPPED: "weights * self.dropout(torch.ones_like(weights))"},
    ),
    "dropout-along-sample": (
        "v3", {DROPPED: "weights * self.dropout(torch.ones_like(weights[:1]))"},
        {DROPPED: "weights * self.dropout(torch.ones_like(weights[..., :1]))"},
    ),
    "dropout-along-head": (
        "mha", {DROPPED: "weights * self.dropout(torch.ones_like(weights[:, :1]))"},
        {DROPPED: "weights * self.dropout(torch.ones_like(weights[:1]))"},
    ),
    "dropout-with-mask-alone": (
        "v3", {ALONE: WHERE.format(what="not None")}, {ALONE: WHERE.format(what="None")},
    ),
    "dropout-without-mask-alone": (
        "v3", {ALONE: WHERE.format(what="None")}, {ALONE: WHERE.format(what="not None")},
    ),
    "dtype-rounded": (
        "v1", {"return context": "return context.half().to(x.dtype)"},
        {"return context": "return context.double().to(x.dtype)"},
    ),
    "no-array": (
        "v1", {"import math": "import math\nimport torch",
               "weights = scores": "weights = torch.from_numpy(scores.detach().numpy())"},
        {"import math": "import math\nimport torch",
         "weights = scores": "weights = torch.zeros(1).to('cpu').to(scores) + scores"},
    ),
    "mask-needed-nothing": (
        "v3", {OUT: "        if attention_mask is not None:\n            return output\n"},
        {OUT: "        return output if attention_mask is not None else output[:, :, :1]\n"},
    ),
    "mask-needed-shape": (
        "v3", {OUT: "        return output if attention_mask is not None else output[:, :, :1]\n"},
        {OUT: "        return output if attention_mask is not None else output.flip(1)\n"},
    ),
    "mask-needed-values": (
        "v3", {OUT: "        return output if attention_mask is not None else output.flip(1)\n"},
        {OUT: "        return output if attention_mask is not None else output[:, :, :1]\n"},
    ),
    "direct-cached-single": (
        "kvcache", {LATE: FLIPPED.format(when="past_key.shape[2] == length == 1")},
        {LATE: FLIPPED.format(when="length > past_key.shape[2]")},
    ),
    "direct-cached-later": (
        "kvcache", {LATE: FLIPPED.format(when="length > past_key.shape[2]")},
        {LATE: FLIPPED.format(when="past_key.shape[2] == length == 1")},
    ),
    "crash-unset-plain": (
        "v1", {"math.sqrt(self.hidden_dim)": "math.sqrt(self.width)", BEGUN: BEGUN + MANY},
        {"math.sqrt(self.hidden_dim)": "math.sqrt(self.width)"},
    ),
    "gradient-overflow": (
        "sdpa", {SOFTMAX: BY_SIZE.format(safe="torch.where(size > 0, 1 / size, 1.0)")},
        {SOFTMAX: BY_SIZE.format(safe="(1 / torch.where(size > 0, size, 1.0))")},
    ),
    "dtype-narrowed": (
        "v1", {"return context": "return context.double()"},
        {"return context": "return context.double().to(x.dtype)"},
    ),
    "dropout-along-call": (
        "v3", {ALONE: f"        torch.manual_seed(0)\n{ALONE}"},
        {BEGUN: f"{BEGUN}        torch.manual_seed(0)\n"},
    ),
    "dropout-shared": (
        "v3", {DROPPED: PAIRS.format("ones_like(weights[:, ::2])", ".repeat_interleave(2, 1)")},
        {DROPPED: PAIRS.format("ones_like(weights)", "")},
    ),
    "dropout-otherwise": (
        "v3", {CONTEXT: f"{CONTEXT} * dropped_weights.sum(-1, keepdim=True)"},
        {CONTEXT: CONTEXT.replace("dropped_weights", "dropped_weights.square().sqrt()")},
    ),
    "class-unclear": (
        "v1", {"class SelfAttentionV1(nn.Module)": TWO.format("Two")},
        {"class SelfAttentionV1(nn.Module)": TWO.format("SelfAttention")},
    ),
    "letters-misspelt": ("v1", {"__init__": "__int__"}, {"def forward": "def foward"}),
    "init-misspelt": ("v1", {"def __init__": "def _init_"}, {"def __init__": "def __int__"}),
    "forward-missing": ("v1", {"forward": "attend"}, {"def forward": "def foward"}),
    "returns-array": (
        "v1", {"return context": "return context.detach().numpy()"},
        {"return context": "return context.tolist()"},
    ),
    "syntax-odd-character-plain": (
        "v1", {"return context": "return context \u2460"},
        {"return context": "return context \u200b"},
    ),
    "crash-inner": ("v1", {KEY_T: "value[:, :1, :1]"}, {KEY_T: "key"}),
    "crash-assigned": (
        "v1", {CONTEXT_V1: PUT},
        {CONTEXT_V1: f"{CONTEXT_V1} + value[..., :2]"},
    ),
    "not-fused": (
        "v2", TORCH | {"nn.Linear(hidden_dim, 3 * hidden_dim)": THREE, "self.qkv_proj(x)": THIRDS},
        {"qkv.chunk(3, dim=-1)": "qkv.split(self.hidden_dim, dim=-1)"},
    ),
    "weights-misbegun": (
        "qk-norm", {"torch.ones(": "torch.zeros("}, {"torch.ones(": "1.0 * torch.ones("},
    ),
    "direct-not-none": (
        "attention-module", {"return output, None": "return output, weights.mean(dim=1)"},
        {"return output, None": "return output"},
    ),
    "direct-uncarried": (
        "kvcache", {"return output, (key, value)": "return output"},
        {"return output, (key, value)": "return output, (new_key, new_value)"},
    ),
    "state-not-returned": (
        "kvcache", {"return output, (key, value)": "return output"},
        {"return output, (key, value)": "return output, (new_key, new_value)"},
    ),
    "mixed-in-turns": (
        "cross-cache", HELD | {"lengths = cache\n": "_ = cache\n            lengths = self.held\n"},
        HELD | {"lengths = cache\n": "lengths = cache\n            key = key * 2\n"},
    ),
    "backward-wrong": (
        "v1", {CONTEXT_V1: f"{MIXED}weights)", HEAD_V1: OWN.format("2 * grad") + HEAD_V1},
        {CONTEXT_V1: f"{MIXED}2 * weights)", HEAD_V1: OWN.format("grad") + HEAD_V1},
    ),
    "overwritten-in-place": (
        "v1", {CONTEXT_V1: f"{CONTEXT_V1}\n        weights.mul_(2)"},
        {CONTEXT_V1: f"{CONTEXT_V1}\n        context.mul_(1)"},
    ),
    "crash-nowhere": (
        "v1", {CONTEXT_V1: f"{CONTEXT_V1}\n        weights.mul_(2)"},
        {CONTEXT_V1: f"{CONTEXT_V1}\n        context.mul_(1)"},
    ),
    "shortcut-wrong": (
        "mha", {OUT: f"        if self.num_heads == 1:\n            return output * 2\n{OUT}"},
        {OUT: f"        if self.num_heads == 1:\n            return output * 1\n{OUT}"},
    ),
    "left-behind": (
        "v1", TIMES | {BEGUN: BEGUN + ONE}, TIMES | {BEGUN: BEGUN + BUFFER},
    ),
    "output-projection-missing": (
        "mha", {"        self.output_proj = nn.Linear(hidden_dim, hidden_dim)\n": "",
                "self.output_proj(merged)": "merged"},
        {"self.output_proj(merged)": "self.value_proj(merged)"},
    ),
    "view-needs-contiguous": (
        "mha", {"by_position.reshape(": "by_position.view("},
        {"by_position.reshape(": "by_position.contiguous().view("},
    ),
}  # fmt: skip


def changed(kata: str, edits: dict[str, str]) -> str:
    """A model answer with some of its text replaced."""
    text = find(kata).solution()
    for old, new in edits.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.mark.enumeration(6)
@pytest.mark.parametrize("key", SAID)
def test_said_of_what_it_is_true_of(bench, tmp_path, keys, key) -> None:
    """It stands in the one report, and not in the other."""
    kata, *both = SAID[key]
    paths = [tmp_path / "true.py", tmp_path / "untrue.py"]
    for path, edits in zip(paths, both, strict=True):
        path.write_text(changed(kata, edits))
    true, untrue = (keys(one) for one in bench.judge(kata, paths, Options(seed=1)))
    assert key in true
    assert key not in untrue


@pytest.mark.enumeration(6)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_said_of_one_file_and_not_of_its_like(bench, keys, row) -> None:
    """Of files of the corpora, one whose report says it and the one that is most like it."""
    key, kata, *files = row
    paths = [CORPUS / file for file in files]
    true, untrue = (keys(one) for one in bench.judge(kata, paths, Options(seed=1)))
    assert key in true
    assert key not in untrue


@pytest.mark.parametrize(
    ("kata", "field", "key"),
    [
        ("sdpa", {"below": True}, "case-below"),
        ("layernorm", {"zeros": "all"}, "case-all-zeros"),
        ("layernorm", {"zeros": "one"}, "case-zeros"),
        ("qk-norm", {"zeros": "one"}, "case-zeros-made"),
        ("rope", {"reach": 256}, "case-reach"),
        ("drill-mask", {"regular": True}, "case-regular"),
        ("v3", {"train": True}, "case-train"),
        ("kvcache", {"schedule": "cached-across", "after": 250}, "direct-cached-across"),
    ],
)
def test_a_case_is_told(keys, kata, field, key) -> None:
    """What is out of the ordinary in a case is said, and of another it is not."""
    asked = find(kata).asked
    function, sizes = asked.functions[0], asked.sizes
    plain = Case(check="values", sizes=sizes.first())
    odd = dataclasses.replace(plain, **field)
    assert key in keys(odd.label(function, sizes)) - keys(plain.label(function, sizes))


HALF = "x.dtype.itemsize == 2"


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        (f"context.float() if {HALF} else context", "pass"),
        (f"context.double() if {HALF} else context", "fail"),
        ("context.double() if x.dtype.itemsize == 4 else context", "fail"),
        ("context.double() if x.dtype.itemsize == 8 else context", "pass"),
    ],
)
def test_the_dtype_of_what_comes_back(judged, given, verdict) -> None:
    """That of the inputs; in half precision float32 will do too."""
    report = judged("v1", changed("v1", {"return context": f"return {given}"}))
    assert report.verdict == verdict
    assert {one.mistake for one in report.diagnosis} <= {"dtype-hardcoded"}


def test_a_kata_lacks_a_package(first_faults, keys, monkeypatch) -> None:
    """Where nothing can be judged that is said, and nothing else of the file."""
    text = find("v1").solution()
    assert first_faults("v1", text).error is None
    monkeypatch.setattr(Kata, "lacking", "triton")
    assert keys(first_faults("v1", text).error) == {"kata-lacking"}


def test_a_pipe_is_silent(tmp_path, monkeypatch) -> None:
    """One that nobody writes to, or no more; what ends is read."""
    monkeypatch.setattr(source, "_PATIENCE", 0.05)
    pipe = tmp_path / "mine.py"
    os.mkfifo(pipe)
    held = os.open(pipe, os.O_RDWR)
    for text in (b"", b"x = 1\n"):
        os.write(held, text)
        with pytest.raises(source.Unreadable) as caught:
            source.read(pipe)
        assert caught.value.message.key == "file-silent"
    os.close(held)
    monkeypatch.setattr(source, "_PATIENCE", 9.0)
    writer = threading.Thread(target=pipe.write_text, args=("x = 2\n",))
    writer.start()
    assert source.read(pipe).text == "x = 2\n"
    writer.join()


def test_what_python_cannot_parse(tmp_path, monkeypatch) -> None:
    """Whatever it raises that is not about the text's syntax; and that is said as ever."""
    path = tmp_path / "mine.py"
    path.write_text("x = = 1\n")
    with pytest.raises(source.Unreadable) as caught:
        source.read(path)
    assert caught.value.message.key != "file-unparsable"
    monkeypatch.setattr(source.ast, "parse", raising := Mock(side_effect=ValueError("own")))
    with pytest.raises(source.Unreadable) as caught:
        source.read(path)
    assert (caught.value.message.key, raising.called) == ("file-unparsable", True)
