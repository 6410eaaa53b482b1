"""Functions: found and bound in many hands, told apart from classes, held to rules and memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from attn_kata.checker.candidate.watch import Watch, facts
from attn_kata.checker.client import Options
from attn_kata.checker.judge.case import Case
from attn_kata.checker.judge.find import found, ways
from attn_kata.checker.judge.given import Given
from attn_kata.checker.judge.rules import broken, misplaced
from attn_kata.checker.judge.source import read
from attn_kata.checker.judge.trials import Trial
from attn_kata.checker.process.answers import Entry, Outcome, Parameter
from attn_kata.checker.process.forms import decode
from attn_kata.checker.process.requests import Record
from attn_kata.kata.catalogue import find
from attn_kata.kata.functions import Memory, Rules, choices
from attn_kata.kata.reading import BadContract, read_asked
from attn_kata.sentences.wording import worded

SDPA = find("sdpa").asked.functions[0]
BODY = """
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    if causal:
        rows, columns = scores.shape[-2:]
        ahead = torch.ones(rows, columns, device=scores.device).triu(columns - rows + 1)
        scores = scores.masked_fill(ahead == 1, float("-inf"))
    return scores.softmax(-1) @ value
"""
ARGUMENTS = "query, key, value, mask=None, causal=False"
PLAIN = f"import torch\ndef attention({ARGUMENTS}):{BODY}"


@pytest.fixture
def judge(bench, tmp_path):
    """Judge a source under a kata."""

    def judged(source: str, kata: str = "sdpa", language: str = "en", **options: Any):
        path = tmp_path / "mine.py"
        path.write_text(source)
        return worded(next(bench.judge(kata, [path], Options(seed=3, **options))), language)

    return judged


def told(report):
    """Every failing check with its detail."""
    return {check.id: check.detail for check in report.checks if check.status == "fail"}


RIGHT = {
    "plain": PLAIN,
    "a synonym": PLAIN.replace("def attention", "def sdpa"),
    "the only function": PLAIN.replace("def attention", "def look_up"),
    "beside helpers": PLAIN + "\ndef show(x):\n    return x\n",
    "other order": PLAIN.replace(ARGUMENTS, "value, key, query, causal=False, mask=None"),
    "short names": PLAIN.replace(ARGUMENTS, "q, k, v, attn_mask=None, is_causal=False").replace(
        "):\n", "):\n    query, key, value, mask, causal = q, k, v, attn_mask, is_causal\n", 1
    ),
    "nameless names": PLAIN.replace(ARGUMENTS, "a, b, c, d=None, e=False").replace(
        "):\n", "):\n    query, key, value, mask, causal = a, b, c, d, e\n", 1
    ),
    "by place alone": PLAIN.replace("query, key, value,", "query, key, value, /,"),
    "by name alone": PLAIN.replace(ARGUMENTS, "*, query, key, value, mask=None, causal=False"),
    "further defaults": PLAIN.replace(ARGUMENTS, ARGUMENTS + ", dropout=0.0, scale=None"),
    "any arguments": "import torch\ndef attention(*args, **more):\n    return inner(*args, **more)"
    f"\ndef inner({ARGUMENTS}):{BODY}",
    "partial": "import functools\nimport torch\ndef inner(eps, " + ARGUMENTS + f"):{BODY}\n"
    "attention = functools.partial(inner, 0)",
    "decorated": "import functools\nimport torch\ndef plain(f):\n    @functools.wraps(f)\n"
    "    def g(*a, **k):\n        return f(*a, **k)\n    return g\n@plain\n"
    f"def attention({ARGUMENTS}):{BODY}",
    "object": "import torch\nclass Attend:\n"
    f"    def __call__(self, {ARGUMENTS}):{BODY.replace(chr(10), chr(10) + '    ')}\n"
    "attention = Attend()",
    "async name of a class beside it": PLAIN + "\nclass Net(torch.nn.Module):\n"
    "    def forward(self, x):\n        return attention(x, x, x)\n",
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_hands(judge, name):
    """However a right function is written and called, it passes."""
    report = judge(RIGHT[name])
    assert report.verdict == "pass", (report.error, told(report))
    assert report.roles == {}
    assert report.trace[-1].milestone == "output"


def test_tuple(judge):
    """The output first in a tuple is right, and worth a remark."""
    source = PLAIN.replace("return scores.softmax(-1) @ value", "return scores @ value, scores")
    report = judge(source.replace("return scores @", "return scores.softmax(-1) @"))
    assert report.verdict == "pass"
    assert "returns-tuple" in {remark.id for remark in report.remarks}


@pytest.mark.parametrize(
    ("source", "kind", "words"),
    [
        ("x = 1", "no-class", "defines no function"),
        (f"import torch\nclass A:\n    def forward(self, {ARGUMENTS}):\n        return 1",
         "no-class", "the file has the class `A`"),
        ("def f(x): return x\ndef g(x): return x", "no-class", "`f` (1), `g` (2)"),
        (PLAIN.replace(ARGUMENTS, ARGUMENTS.replace("mask", "w, mask")), "forward",
         "asks for `w` too"),
        (f"def attention({ARGUMENTS}):\n    raise NotImplementedError", "forward", "not written"),
        (f"def attention({ARGUMENTS}):\n    query @ key.mT", "forward", "is a `return` missing?"),
        (PLAIN.replace("key.mT", "key"), "forward", "raised RuntimeError at line 3"),
        (PLAIN.replace("masked_fill", "mask_fill"), None, "mask"),
    ],
)  # fmt: skip
def test_what_cannot_be_judged(judge, source, kind, words):
    """What is no function, or none that runs, is told so with its line where it has one."""
    report = judge(source)
    if kind is None:
        assert words in told(report)
    else:
        assert (report.verdict, report.error.kind) == ("error", kind)
        assert words in report.error.message


def test_in_chinese(judge):
    """The same in Chinese."""
    report = judge("class A:\n    def forward(self, x):\n        return x", language="zh")
    assert "文件里有的是类 `A`" in report.error.message


def test_a_class_is_asked_for(judge):
    """A function where a kata asks for a class is told so."""
    report = judge("def attention(x):\n    return x", "mha")
    assert report.error.kind == "no-class"
    assert "asks for a class `MultiHeadAttention`" in report.error.message
    assert "`attention` (1)" in report.error.message


@pytest.mark.parametrize(
    ("old", "new", "check"),
    [
        ("** 0.5", "** 0.6", "values"),
        ("mask == 0", "mask < 0", "mask"),
        ("columns - rows + 1", "columns - rows + 2", "causality"),
        ("return scores", "query.mul_(2)\n    return scores", "purity"),
        ("scores.softmax(-1)", "(scores.softmax(-1) + 1e-3 * torch.rand(()))", "purity"),
        ("@ value", "@ value.detach()", "gradients"),
        ("scores.softmax(-1)", "(scores.exp() / scores.exp().sum(-1, keepdim=True))", "stability"),
        ("return scores.softmax(-1) @ value", "return (scores.softmax(-1) @ value).sum(1)",
         "shape"),
        ("return scores.softmax(-1) @ value", "return (scores.softmax(-1) @ value).long()",
         "shape"),
        ("torch.ones(rows, columns, device=scores.device)", "torch.ones(rows, columns)", "device"),
        (", causal=False", "", "causality"),
    ],
)  # fmt: skip
def test_each_check(judge, old, new, check):
    """Each kind of fault fails its own check."""
    source = PLAIN.replace(old, new)
    if check == "causality" and not new:
        source = source.replace("if causal:", "if False:")
    assert source != PLAIN
    report = judge(source)
    assert report.verdict == "fail"
    assert check in told(report)


def test_fused(judge):
    """Torch's own attention ends the judging, as in every kata."""
    call = "F.scaled_dot_product_attention(query, key, value)"
    head = "import torch\nimport torch.nn.functional as F\n"
    source = f"{head}def attention({ARGUMENTS}):\n    return {call}"
    report = judge(source)
    assert [(one.mistake, one.line) for one in report.diagnosis] == [("forbidden-call", 4)]
    assert set(told(report)) == {"rules"}


@pytest.mark.parametrize(
    ("call", "line"),
    [("torch.softmax(x, dim)", 3), ("x.softmax(dim)", 3), ("F.log_softmax(x, dim).exp()", 3),
     ("torch.special.softmax(x, dim)", 3), ("torch.nn.Softmax(dim)(x)", 3),
     ("torch.ops.aten._softmax(x, dim, False)", 3)],
)  # fmt: skip
def test_operators_that_may_not_be_used(judge, call, line):
    """An operator is seen however it is spelt, and named with its line."""
    solution = find("drill-softmax").solution().replace("def softmax(", "def was(")
    source = f"import torch, torch.nn.functional as F\ndef softmax(x, dim=-1):\n    return {call}\n"
    report = judge(source + solution.replace("from __future__ import annotations\n", ""),
                   "drill-softmax")  # fmt: skip
    assert told(report)["rules"].startswith("`softmax`: `")
    assert [(one.mistake, one.line) for one in report.diagnosis] == [("forbidden-call", line)]


def test_scripted(judge):
    """A scripted function is judged as the Python that it is written in."""
    solution = find("drill-softmax").solution().replace("def softmax(", "def was(")
    head = "import torch\n@torch.jit.script\ndef softmax(x, dim: int = -1):\n    return {}\n"
    rest = solution.replace("from __future__ import annotations\n", "")
    plain = "(x - x.amax(dim, True)).exp() / (x - x.amax(dim, True)).exp().sum(dim, True)"
    assert judge(head.format(plain) + rest, "drill-softmax").verdict == "pass"
    assert "rules" in told(judge(head.format("x.softmax(dim)") + rest, "drill-softmax"))


# -- rules and memory, in this process ------------------------------------------------------


def watched(source, name="f", **tensors):
    """Run a function of a source under the watch; return its trial."""
    path = "submission.py"
    space: dict[str, Any] = {}
    exec(compile(source, path, "exec"), space)
    held = {tensor.untyped_storage().data_ptr() for tensor in tensors.values()}
    with Watch(path, held, {}, {}, Record(values=True)) as watch:
        result = space[name](**tensors)
    trial = Trial(
        function=SDPA, case=Case(check="values", sizes={"N": 4}), expected=(), bound=0,
        given=Given(tensors=tensors, plain={}),
    )  # fmt: skip
    trial.answer = decode(Outcome, {"steps": watch.steps, **facts(result, tensors, [[1]])})
    return trial


SPELT = {
    "a @ b": "@",
    "torch.matmul(a, b)": "torch.matmul",
    "a.matmul(b)": "Tensor.matmul",
    "torch.einsum('ij,jk', a, b)": "torch.einsum",
    "(a[:, :, None] * b).sum(1)": "*",
    "torch.mul(a, b)": "torch.mul",
    "torch.nn.functional.softmax(a, -1)": "F.softmax",
    "-a": "-",
    "a < b": "<",
}


@pytest.mark.parametrize("text", SPELT)
def test_spelling(text):
    """Operators, functions and methods of one name are told apart."""
    trial = watched(f"import torch\ndef f(a, b):\n    return {text}\n",
                    a=torch.ones(4, 4), b=torch.ones(4, 4))  # fmt: skip
    assert SPELT[text] in [step.spelt for step in trial.answer.steps]


@pytest.mark.parametrize(
    ("rules", "text", "keys"),
    [
        (Rules(must=(("@",),)), "a @ b", []),
        (Rules(must=(("@",),)), "a.matmul(b)", ["direct-must"]),
        (Rules(must=(("matmul",),)), "torch.matmul(a, b)", []),
        (Rules(must=(("torch.matmul",),)), "a.matmul(b)", ["direct-must"]),
        (Rules(must=(("einsum", "bmm"),)), "torch.einsum('ij,jk', a, b)", []),
        (Rules(never=("matmul",)), "a @ b", []),
        (Rules(never=("products",)), "a @ b", ["direct-never"]),
        (Rules(never=("add",)), "a.add_(b)", ["direct-never"]),
        (Rules(loops=False), "torch.stack([row @ b for row in a])", ["direct-loop"]),
        (Rules(loops=False), "a @ b", []),
        (Rules(loops=False), "sum(x @ b for x in (a, b))", []),
        (Rules(loops=False), "(a @ b).view(*[n for n in a.shape])", []),
        (Rules(loops=False), "(a @ b).view(*(a.size(i) for i in range(2)))", []),
        (Rules(loops=False), "sum(a[i] * b[i] for i in range(4))", ["direct-loop"]),
        (Rules(must=(("@",),), never=("matmul", "mm")), "a.matmul(b)", ["direct-instead"]),
        (Rules(must=(("@",),), never=("matmul",)), "a.mm(b)", ["direct-must"]),
        (Rules(must=(("@",),), never=("matmul",)), "a @ b.matmul(b)", ["direct-never"]),
    ],
)
def test_rules(tmp_path, rules, text, keys):
    """A rule names an operator in one spelling or all, or a group of them."""
    source = f"import torch\ndef f(a, b):\n    return {text}\n"
    (tmp_path / "s.py").write_text(source)
    trial = watched(source, a=torch.ones(4, 4), b=torch.ones(4, 4))
    function = replace(SDPA, rules=rules)
    entry = Entry(name="f", line=2, arguments=None)
    found_here = list(broken(function, entry, [trial], read(tmp_path / "s.py")))
    assert [breach.key for breach in found_here] == keys


@pytest.mark.parametrize(
    ("memory", "text", "keys"),
    [
        (Memory(view_of="a"), "a.t()", []),
        (Memory(view_of="a"), "a.t().contiguous()", ["direct-view"]),
        (Memory(copy_of="a"), "a.clone()", []),
        (Memory(copy_of="a"), "a.expand(2, 4, 3)", ["direct-copy"]),
        (Memory(contiguous=True), "a.t()", ["direct-contiguous"]),
        (Memory(contiguous=False), "a.t()", []),
        (Memory(contiguous=False), "a.clone()", ["direct-not-contiguous"]),
        (Memory(strides=("1", "3")), "a.t()", []),
        (Memory(strides=("1", "3")), "a.t().contiguous()", ["direct-strides"]),
        (Memory(largest="3 * N"), "a + 1", []),
        (Memory(largest="3 * N"), "a.expand(5, 4, 3)", []),
        (Memory(largest="3 * N"), "a.repeat(5, 1, 1)", ["direct-large"]),
        (Memory(largest="3 * N"), "(a @ a.t()).sum()", ["direct-large"]),
    ],
)
def test_memory(memory, text, keys):
    """Views and copies are told apart, strides are read, and large tensors are seen."""
    trial = watched(f"def f(a):\n    return {text}\n", a=torch.arange(12.0).view(4, 3))
    function = replace(SDPA, memory=memory)
    assert [breach.key for breach in misplaced(function, [trial])] == keys


# -- contracts ------------------------------------------------------------------------------


def entry(*names, name="f"):
    """A function's entry; a name with an equals sign has a default."""
    rows = [
        Parameter(
            name=n.rstrip("="),
            kind="POSITIONAL_OR_KEYWORD",
            has_default=n.endswith("="),
            default=None,
        )
        for n in names
    ]
    return Entry(name=name, line=1, arguments=rows)


def test_missing_argument():
    """What a function has no argument for is known before it is called."""
    bound = next(ways(SDPA, entry("q", "k", "v", "mask=")))
    assert bound.missing == ("causal",)
    assert bound.named == {"query": "q", "key": "k", "value": "v", "mask": "mask"}


def test_names_before_places():
    """`(values, keys, query)` is bound by name."""
    bound = next(ways(SDPA, entry("values", "keys", "query", "mask", "causal=")))
    assert bound.named["value"] == "values"
    assert bound.named["query"] == "query"


def test_several_functions():
    """Each function is found by its name, a synonym, or nearly its name."""
    asked = find("drill-softmax").asked.functions
    entries = [entry("x", name=n) for n in ("maskedSoftmax", "logsumexp", "softmax", "helper")]
    assert {a: e.name for a, e in found(asked, entries, None).items()} == {
        "softmax": "softmax", "log_sum_exp": "logsumexp", "masked_softmax": "maskedSoftmax",
    }  # fmt: skip


CONTRACT = {
    "sizes": {"G": [2, 1], "R": [3, 1], "H": "G * R"},
    "axes": {"G": "groups", "R": "repeats", "H": "heads"},
    "function": [
        {
            "name": "f",
            "argument": [
                {"name": "x", "is": "normal", "shape": ["H"]},
                {"name": "flip", "is": "choice", "values": [False, True], "default": False},
            ],
            "result": [{"shape": ["H"]}],
        }
    ],
}


def test_sizes():
    """A size may be a sum of others; every value is tried."""
    asked = read_asked(CONTRACT)
    rows = list(asked.sizes.rows())
    assert rows[0] == {"G": 2, "R": 3, "H": 6}
    assert {row["G"] for row in rows} == {1, 2}
    assert all(row["H"] == row["G"] * row["R"] for row in rows)
    assert choices(asked.functions[0]) == [{"flip": False}, {"flip": True}]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sizes": {"G": "Z", "R": [1]}}, "is no size"),
        ({"axes": {"G": "groups"}}, "axes"),
        ({"function": []}, "no .*function"),
        ({"function": [{"name": "f", "argumnet": []}]}, "no key `argumnet`"),
        ({"function": [{"name": "f", "argument": [{"name": "x", "is": "tensor"}]}]}, "`is` is"),
        ({"function": [{"name": "f", "argument": [{"name": "x", "is": "mask"}]}]}, "needs `shape`"),
        ({"function": [{"name": "f", "result": [{}],
                        "argument": [{"name": "x", "is": "normal", "shape": ["Z"]}]}]}, "no size"),
        ({"function": [{"name": "f", "result": [{}], "memory": {"view_of": "y"},
                        "argument": [{"name": "x", "is": "mask", "shape": ["H"]}]}]}, "no tensor"),
    ],
)  # fmt: skip
def test_bad_contract(change, words):
    """A contract that cannot be read says which key, and what is wrong there."""
    with pytest.raises(BadContract, match=words):
        read_asked({**CONTRACT, **change})
