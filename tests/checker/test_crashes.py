"""What is said of an exception is said where it holds: of shapes, of self, of names."""

from __future__ import annotations

import sys

import pytest
from attn_kata.kata.catalogue import find
from attn_kata.sentences.wording import sentence

V1 = find("v1").solution()
FORWARD = "    def forward(self, x: Tensor) -> Tensor:\n"
KEEP = "        self.hidden_dim = hidden_dim\n"
TURNED = "query @ key.transpose(-2, -1)"


def edited(*pairs: tuple[str, str]) -> str:
    """The model answer of v1 with some of its text replaced."""
    text = V1
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def inside(statement: str) -> str:
    """The model answer with a statement before its first one."""
    return edited(("        query =", f"        {statement}\n        query ="))


# A forward that speaks of no `self`.
SHORT = """from torch import nn

class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.scale = hidden_dim**-0.5

    def forward({arguments}):
        {body}
"""

# Before 3.11 Python does not say which expression of a line raised: with a call of one's own
# beside it, the tensors on the line are all that is known.
WHOSE = "`x` is (2, 5, 6): " if sys.version_info >= (3, 11) else "on that line: x (2, 5, 6); "

# A source, and what is said below the exception.
TOLD = {
    "all axes": (
        edited((TURNED, "query @ key.T")),
        ("`query` is (2, 5, 6), `key.T` is (6, 5, 2): `.T` reverses all axes; write "
         "`.transpose(-2, -1)`"),
    ),
    "not turned": (
        edited((TURNED, "query @ key")),
        ("`query` is (2, 5, 6), `key` is (2, 5, 6): the last axis of the first (6) has to be as "
         "long as the second-to-last of the second (5); write `key.transpose(-2, -1)`"),
    ),
    "leading axes": (
        inside("x[:1].expand(3, 5, 6) @ x.mT"),
        ("`x[:1].expand(3, 5, 6)` is (3, 5, 6), `x.mT` is (2, 6, 5): the axes before the last two, "
         "(3,) and (2,), have to be the same or 1"),
    ),
    "a layer": (
        edited(("self.query_proj(x)", "self.query_proj(x[..., :4])")),
        ("`x[..., :4]` is (2, 5, 4), `self.query_proj.weight` is (6, 6): the layer takes 6 "
         "features and is given 4"),
    ),
    "in place": (
        inside("row = x[:1].clone(); row += x"),
        ("`row` is (1, 5, 6), `x` is (2, 5, 6): `+=` keeps the shape of its left-hand side; "
         "write `row = row + …`"),
    ),
    "no mask": (
        inside("x + x[:, :3]"),
        ("`x` is (2, 5, 6), `x[:, :3]` is (2, 3, 6): axes are matched from the right, and 5 and 3 "
         "differ where neither is 1"),
    ),
    "who broadcasts": (
        inside("x @ same(x)") + "\n\ndef same(x):\n    return x\n",
        (WHOSE + "the last axis of the first has to be as long as the second-to-last of "
         "the second, and the axes before them the same or 1"),
    ),
    "root of a number": (
        inside("import torch; torch.sqrt(self.hidden_dim)"),
        "`torch.sqrt` takes a tensor, `math.sqrt` a number",
    ),
    "sizes of a shape": (
        inside("batch, length = x.shape"),
        ("on that line: x (2, 5, 6); a shape has as many sizes as its tensor has axes: name that "
         "many on the left"),
    ),
    "self in forward": (
        edited((FORWARD, FORWARD.replace("self, ", ""))),
        "`forward` (line {line}) is a method without `self`: make it the first argument",
    ),
    "self in a forward that has no use for it": (
        SHORT.format(arguments="x", body="return x.transpose(1, 2)"),
        "`forward` (line {line}) is a method without `self`: make it the first argument",
    ),
    "self by another name": (
        SHORT.format(arguments="s, x", body="return s.root(x) * s.scale"),
        "the class never sets `self.root`; it sets `scale`",
    ),
    "self in a method": (
        edited((FORWARD, "    def half(x):\n        return x / 2\n\n" + FORWARD),
               ("        query =", "        x = self.half(x)\n        query =")),
        "`half` (line {line}) is a method without `self`: make it the first argument",
    ),
    "self handed over": (
        edited((FORWARD, "    def half(self, x):\n        return x / 2\n\n" + FORWARD),
               ("        query =", "        x = self.half(self, x)\n        query =")),
        "a method called on an object gets `self` automatically; leave it out of the call",
    ),
    "super with an argument": (
        edited(("super().__init__()", "super().__init__(hidden_dim)")),
        "write `super().__init__()`, as the constructor's first line",
    ),
    "super uncalled": (
        edited(("super().__init__()", "super().__init__")),
        "write `super().__init__()`, as the constructor's first line",
    ),
    "super without brackets": (
        edited(("super().__init__()", "super.__init__()")),
        "write `super().__init__()`, as the constructor's first line",
    ),
    "a local name": (
        edited((KEEP, "        hidden_dim = hidden_dim * 1\n")),
        "line {line} sets `hidden_dim`, a local name; write `self.hidden_dim`",
    ),
    "not kept": (
        edited((KEEP, "")),
        ("the constructor is given `hidden_dim` and does not keep it: "
         "`self.hidden_dim = hidden_dim`"),
    ),
    "not imported": (
        edited(("import math\n", "")),
        "add `import math` at the top of the file",
    ),
    "too many for a helper": (
        inside("scaled(x, 2)") + "\n\ndef scaled(x):\n    return x\n",
        "",
    ),
    "unknown": (inside("outputs"), ""),
    "a class for its layer": (
        edited((KEEP, f"{KEEP}        self.drop = nn.Dropout\n"),
               ("        query =", "        x = self.drop(x)\n        query =")),
        "line {line} keeps the class `nn.Dropout` itself in `self.drop`; make one: `nn.Dropout(…)`",
    ),
    "a layer not called": (
        inside("x = nn.Softmax(x) @ x"),
        "`Softmax(…)` only makes the layer; call what it makes with the tensor",
    ),
    "a layer for a function": (
        inside("import torch; x = torch.softmax(nn.Softmax(x), dim=-1)"),
        "`Softmax(…)` only makes the layer; call what it makes with the tensor",
    ),
    "a layer's own attribute": (inside("self.query_proj.weights"), ""),
    "a method not called": (
        inside("batch, length, width = x.size"),
        "`x.size` is a method; call it: `x.size()`",
    ),
    "a method not called before": (
        inside("x = x.contiguous; x = x.view(2)"),
        "`x.contiguous` is a method; call it: `x.contiguous()`",
    ),
    "a list": (
        inside("x = [x]; x = x.transpose(1, 2)"),
        ("this is a Python list, not a tensor; `torch.stack` makes a tensor from a list of "
         "tensors, `torch.tensor` from numbers"),
    ),
    "a list of one's own making": (inside("[x].first()"), ""),
    "a tuple": (
        inside("x = x.chunk(2).transpose(1, 2)"),
        "this is a tuple, not a tensor; unpack it, or take the entry you need",
    ),
    "beyond a list": (
        inside("rows = [x, x]; x + rows[2]"),
        "`rows` has length 2, and is asked for entry 2, counted from 0",
    ),
    "half a size": (
        inside("x.view(2, 5, 2, x.shape[-1] / 2)"),
        "a size has to be an int, and `/` gives a float; write `//`",
    ),
    "one argument too many": (
        inside("self.query_proj(x, 2)"),
        "not counting `self`, it takes 1 and is given 2",
    ),
    "a keyword of NumPy's": (
        inside("import torch.nn.functional as F; F.softmax(x, axis=-1)"),
        "`F.softmax` takes `input`, `dim`, `dtype`",
    ),
    "never set": (
        inside("self.mask_bias"),
        ("the class never sets `self.mask_bias`; it sets `hidden_dim`, `query_proj`, `key_proj`, "
         "`value_proj`"),
    ),
    "set by its name": (
        edited((KEEP, f'{KEEP}        name = "late_bias"\n'),
               ("        query =", "        self.late_bias\n        query =")),
        "",
    ),
    "no argument": (
        edited((KEEP, f"{KEEP}        self.heads = heads\n")),
        "`__init__` has no argument `heads`; add it",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_below_the_exception(judged, name):
    """Shapes and cure are those of the expression that raised, and nothing else is said."""
    source, words = TOLD[name]
    report = judged("v1", source)
    assert report.verdict == "error"
    starts = ("def forward(x", "def half(x", "hidden_dim =", "self.drop = nn.Dropout")
    rows = [row.strip().startswith(starts) for row in source.split("\n")]
    assert report.error.help == words.format(line=rows.index(True) + 1 if any(rows) else None)


MEANT = {
    "nn.module": (edited(("(nn.Module)", "(nn.module)")), "you probably meant `Module`"),
    "nn.linear": (
        V1.replace("nn.Linear(", "nn.linear("), "you probably meant `Linear`",
    ),
    "of self": (
        edited(("self.value_proj(x)", "value_proj(x)")), "you probably meant `self.value_proj`",
    ),
    "of self, kept under its name": (
        V1.replace("value_proj", "value").replace("value = self.value(", "value = value("),
        "you probably meant `self.value`",
    ),
    "a letter": (edited(("return context", "return contxt")), "you probably meant `context`"),
}  # fmt: skip


@pytest.mark.parametrize("name", MEANT)
def test_what_was_meant(judged, name):
    """A name is meant as it is written but for its case, then as an attribute of self."""
    source, words = MEANT[name]
    assert words in judged("v1", source).error.message


def test_a_local_name_that_is_set_elsewhere(judged):
    """One that another branch sets before is no attribute of self."""
    branch = "if x.size(0) > 99:\n            value_proj = x\n        x = value_proj"
    assert "you probably meant" not in judged("v1", inside(branch)).error.message


@pytest.mark.costly
def test_a_crash_is_the_headline(judged):
    """Where a check fails by an exception, the report tells it apart, with its case and cure."""
    source = find("v3").solution().replace("attention_mask == 0", "attention_mask.any(9)")
    report = judged("v3", source)
    assert report.verdict == "fail"
    assert report.crash.check == "mask"
    assert report.crash.line is not None
    assert "IndexError: Dimension out of range" in report.crash.message
    assert report.crash.help.startswith("`attention_mask` is (")


def test_no_line_is_none(judged):
    """Where no line of the file was running, none is told."""
    source = edited((FORWARD, "    @staticmethod\n" + FORWARD))
    report = judged("v1", source)
    assert "None" not in report.error.message
    assert "`@staticmethod`" in report.error.help


@pytest.mark.parametrize("name", ["foward", "forword", "_forward"])
def test_forward_misspelt(judged, name):
    """A method that was meant to be `forward` is named with its line."""
    error = judged("v1", edited(("def forward(", f"def {name}("))).error
    assert error.message == f"line {error.line} defines `{name}`; torch calls `forward`"


@pytest.mark.parametrize("helper", ["_call", "_init", "_forward"])
def test_a_helper_is_not_misspelt(judged, helper):
    """A helper beside the method whose name it resembles is taken for no misspelling."""
    helping = f"    def {helper}(self):\n        pass\n\n{FORWARD}"
    source = edited((FORWARD, helping), ("        query =", "        x.nothing\n        query ="))
    assert "defines" not in judged("v1", source).error.message


def test_a_dtype_behind_an_exception(judged):
    """A dtype that is written into the code is blamed on its own line, in a whole sentence."""
    report = judged("v1", inside("x = x.half()"))
    (named,) = report.diagnosis
    assert named.mistake == "dtype-hardcoded"
    assert named.message == "a dtype is hard-coded; use the input's: `x.dtype`"
    assert named.yours == "x = x.half()"
    assert named.line != report.error.line


@pytest.mark.parametrize(
    ("odd", "plain"), [("：", ":"), ("（", "("), ("“", '"'), ("−", "-"), ("，", ",")]
)
def test_a_sign_of_another_keyboard(judged, odd, plain):
    """A character that Python cannot read is shown, with the one to write."""
    error = judged("v1", f"x = {odd}1\n").error
    assert f"contains `{odd}` (" in error.message
    assert error.message.endswith(f"; write `{plain}`")


def test_an_array_comes_back(judged):
    """NumPy's array is told as one, and no `return` is asked for."""
    message = judged(
        "v1", edited(("return context", "return context.detach().numpy()"))
    ).error.message
    assert message == (
        "`forward` returned a NumPy array; tensors come in, and a tensor has to come out"
    )


SDPA = find("sdpa").solution()


@pytest.mark.parametrize("raising", ["mask - inf", "scores[mask == 0]"])
def test_what_raises_everywhere_is_no_device_and_no_dtype(judged, raising):
    """An exception that comes on the CPU in float64 too is blamed on neither device nor dtype."""
    source = SDPA.replace("mask == 0", raising)
    assert source != SDPA
    report = judged("sdpa", source)
    assert report.crash.check == "mask"
    named = {one.mistake for one in report.diagnosis}
    assert not named & {"device-hardcoded", "dtype-hardcoded"}
    assert report.functions[0].line == report.crash.line


LAYERS = tuple(f"        self.{name}_proj = nn.Linear(hidden_dim, hidden_dim)\n"
               for name in ("query", "key", "value"))  # fmt: skip
# A plain dict of layers that a helper makes, and one weight of a layer that a forward makes anew.
BY_HAND = "\n\ndef layer(width):\n    return nn.Linear(width, width)\n"
DEVICES = {
    "layers in a plain dict": (
        edited(*((line, line.replace(f"self.{name}_proj =", f"self.held['{name}'] =").replace(
                    "nn.Linear(hidden_dim, hidden_dim)", "layer(hidden_dim)"))
                 for line, name in zip(LAYERS, ("query", "key", "value"), strict=True)),
               (KEEP, KEEP + "        self.held = {}\n"),
               *((f"self.{name}_proj(x)", f"self.held['{name}'](x)")
                 for name in ("query", "key", "value"))) + BY_HAND,
        "parameters-not-registered", False,
    ),
    "made in forward": (
        inside("x = x + x.new_zeros(x.shape[-1], device='cpu')"), "device-hardcoded", True,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", DEVICES.values(), ids=DEVICES)
def test_a_weight_that_is_left_behind_is_no_device_that_is_written_down(judged, case):
    """What `.to()` does not reach is told as that, wherever it was made; a device is not."""
    source, mistake, device = case
    named = [one.mistake for one in judged("v1", source).diagnosis]
    assert mistake in named
    assert ("device-hardcoded" in named) is device


def test_what_earlier_calls_left_in_a_default_argument_is_on_their_device(judged):
    """A list that all calls share is a fault of its own: on a GPU its tensors would be there."""
    source = find("kvcache").solution()
    head = "cache: Cache | None = None"
    assert source.count(head) == 1
    kept = source.replace(head, f"{head}, kept: list = []").replace(
        "        query = ", "        kept.append(x)\n        x = x + 0 * kept[0][:1, :1, :1]\n"
        "        query = ", 1)  # fmt: skip
    report = judged("kvcache", kept)
    assert "device-hardcoded" not in {one.mistake for one in report.diagnosis}


def test_what_is_asked_for_and_not_given(judged):
    """A function that asks for more than the kata gives is told what, wherever it stands."""
    source = SDPA.replace("value: Tensor,", "value: Tensor, left: Tensor, right: Tensor,", 1)
    assert source != SDPA
    message = judged("sdpa", source).error.message
    assert "asks for `left`, `right` too" in message


def test_what_the_kata_leaves_out_needs_a_default(judged):
    """Where the kata's own call leaves out an argument, nobody is told to mend that call."""
    source = find("drill-softmax").solution().replace("dim: int = -1", "dim: int")
    report = judged("drill-softmax", source)
    assert report.crash.help == "the kata calls it without `dim`: give a default"


def test_a_name_of_another_function_is_not_misspelt(judged):
    """`x` in the constructor, where only forward has one, is not said to have been meant as `x`."""
    report = judged("v1", edited((KEEP, f"{KEEP}        self.first = x\n")))
    assert "name 'x' is not defined" in report.error.message
    assert "meant" not in report.error.message


@pytest.mark.parametrize(("arguments", "told"), [("x", "without `self`"), ("self, x", "returned")])
def test_an_object_that_comes_back(judged, arguments, told):
    """A forward that gives back the object as its input lacks `self`; another gives no tensor."""
    report = judged("v1", SHORT.format(arguments=arguments, body="return " + arguments[:4]))
    assert report.verdict == "error"
    assert told in sentence(report.error.message, "en")
