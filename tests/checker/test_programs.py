"""A whole program is judged part by part: its model, its loss, its loop, its text."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch
from attn_kata.checker.candidate.stand_in import StandIn, listed
from attn_kata.checker.diagnose.statements import frozen_line, statement
from attn_kata.dev.planting.operators import changes
from attn_kata.kata.catalogue import find
from attn_kata.kata.slips import slips

CORPUS = Path(__file__).parent.parent / "corpus"
GPT = find("minigpt")
ANSWER = GPT.solution()
LOOP = """
def fit(net, idx, n, rate):
    net.eval()
    opt = torch.optim.AdamW(net.parameters(), lr=rate)
    decay = LinearLR(opt)
    for _ in range(n):
        opt.zero_grad
        out = net(idx)
        cut = out[:, -1]
        out = net(cut)
        loss.backward()
        clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        decay.step()
"""


def planted(*pairs):
    """The model answer with texts replaced."""
    text = ANSWER
    for before, after in pairs:
        assert text.count(before) == 1
        text = text.replace(before, after)
    return text


def line_of(text, part):
    """The line on which a part of a text stands."""
    return text[: text.rindex(part)].count("\n") + 1


def told(report):
    """What a report names, by line."""
    return {one.line: one.mistake for one in report.diagnosis}


TEXTS = find("minigpt-classifier").solution()
# What stands in the classifier's answer, and what a mistake makes of it; `# here` is at fault.
IN_A_BLOCK = {
    "heads-interleaved": [(
        "query = queries.view(split).transpose(1, 2)",
        "query = queries.view(*split[:2], self.head_dim, -1).permute(0, 3, 1, 2)",
    )],
    "norm-missing": [("values = self.value_proj(attention_input)", "values = self.value_proj(x)")],
    "parallel-block": [("mlp_input = self.mlp_norm(attended)", "mlp_input = self.mlp_norm(x)")],
    "causal-inverted": [("past = square.tril()", "past = square.triu()")],
    "norm-eps": [
        ("attention_norm = nn.LayerNorm(hidden_dim)",
         "attention_norm = nn.LayerNorm(hidden_dim, eps=1e-6)"),
        ("mlp_norm = nn.LayerNorm(hidden_dim)", "mlp_norm = nn.LayerNorm(hidden_dim, eps=1e-6)"),
    ],
    "padding-not-finite": [
        ("lowest = torch.finfo(scores.dtype).min", 'lowest = float("-inf")'),
    ],
}  # fmt: skip


@pytest.mark.costly
@pytest.mark.parametrize("mistake", IN_A_BLOCK)
def test_a_line_within_a_block_that_a_part_of_the_model_calls(judged, mistake) -> None:
    """It is told where the first block makes it, and not where the body is called."""
    text, wrong = TEXTS, set[str]()
    for before, after in IN_A_BLOCK[mistake]:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
        wrong.add(after)
    (found,) = judged("minigpt-classifier", text).diagnosis
    assert found.mistake == mistake
    assert any(part in text.splitlines()[found.line - 1] for part in wrong)


@pytest.mark.costly
def test_six_bugs_are_named_at_once(judged) -> None:
    """Several mistakes of one model are peeled off one after another, beside loss and loop."""
    text = planted(
        ("scores = products / math.sqrt(self.head_dim)", "scores = products"),
        (".tril()  #", ".tril(1)  #"),
        ("embedded = token_vectors + position_vectors", "embedded = token_vectors"),
        ("attended = x + attention_output", "attended = attention_output"),
        ("optimizer.zero_grad()", "optimizer.zero_grad"),
        ("tokens[:, 1:].flatten()", "tokens[:, :-1].flatten()"),
    )
    report = judged("minigpt", text)
    assert sorted(told(report).values()) == [
        "causal-sees-next", "gradients-not-zeroed", "labels-not-shifted", "positions-missing",
        "residual-missing", "scale-missing",
    ]  # fmt: skip
    assert told(report)[line_of(text, "optimizer.zero_grad")] == "gradients-not-zeroed"


@pytest.mark.costly
@pytest.mark.parametrize(
    ("before", "after", "mistake"),
    [
        ("optimizer.step()", "optimizer.step", "step-missing"),
        ("step_loss.backward()", "(-step_loss).backward()", "learning-rate-sign"),
        ("model.train()", "model.eval()", "eval-in-training"),
        ("model.eval()", "model.train()", "dropout-in-generation"),
        ("window = text[:, -model", "window = tokens[:, -model", "text-never-read"),
        ("last_logits / temperature", "last_logits * temperature", "temperature-multiplied"),
    ],
)
def test_a_statement_is_named_on_its_line(judged, before, after, mistake) -> None:
    """What leaves nothing in a trace is named on the statement that is meant, and alone."""
    report = judged("minigpt", planted((before, after)))
    assert told(report) == {line_of(ANSWER, before): mistake}


def test_a_frozen_table_fails(judged) -> None:
    """A position table of zeros that never learns gives right numbers, and is turned down."""
    after = "nn.init.zeros_(self.position_embedding.weight).requires_grad_(False)"
    text = planted(("nn.init.normal_(self.position_embedding.weight, std=0.02)", after))
    report = judged("minigpt", text)
    assert report.verdict == "fail"
    assert told(report) == {line_of(text, after): "weights-frozen"}


def test_parts_wait_for_themselves(judged) -> None:
    """Of a stub with its loss written the loss passes, and the rest waits."""
    body = "    return F.cross_entropy(logits[:, :-1].mT, tokens[:, 1:], ignore_index=PADDING)\n"
    pieces = GPT.stub().split('    raise NotImplementedError("write me")\n')
    pieces[2] += body
    report = judged("minigpt", '    raise NotImplementedError("write me")\n'.join(pieces))
    states = {part.name: part.status for part in report.functions}
    assert states["next_token_loss"] == "pass"
    assert states["train"] == states["generate"] == "waits"


def test_a_model_stands_in() -> None:
    """It knows its places, drops in train mode, and is sure of every token where it is sharp."""
    weight = torch.randn(12, 5, dtype=torch.float64)
    model = StandIn(weight, sharp=False)
    tokens = torch.tensor([[1, 2, 1]])
    assert model.block_size == 7
    assert not torch.equal(model(tokens)[:, 0], model(tokens)[:, 2])
    assert not model.train()(tokens)[..., ::2].any()
    with pytest.raises(IndexError, match="8 tokens are more than the block size, 7"):
        model(torch.ones(1, 8, dtype=torch.long))
    steps = StandIn(weight, sharp=True)(tokens).sort().values.diff()
    assert bool((steps == 3).all())


def test_losses_come_as_anything() -> None:
    """A list of numbers or of tensors with one each is a tensor; what holds more stays."""
    made = listed([1.0, torch.tensor(2.0)])
    assert isinstance(made, torch.Tensor)
    assert torch.equal(made, torch.tensor([1.0, 2.0]).double())
    held = [torch.ones(2)]
    assert listed(held) is held
    assert listed([]) == []


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("step", 13), ("schedule.step", 14), ("zero_grad", 7), ("optimizer", 4), ("schedule", 5),
        ("eval", 3), ("train", None), ("loop", 6), ("fed", 8), ("clip number", 12), ("def", 2),
    ],
)  # fmt: skip
def test_statements_are_found(said, line) -> None:
    """A statement is found by what it calls, whatever things are called."""
    function = ast.parse(LOOP).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert statement([function], [said]) == line


def test_frozen_weights_are_found() -> None:
    """Each way to freeze a weight has its line."""
    for text in ("w.requires_grad_(False)", "P(t, requires_grad=False)", "w.requires_grad = False"):
        assert frozen_line(ast.parse(f"x = 1\n{text}\n")) == 2
    assert frozen_line(ast.parse("w.requires_grad_(True)")) is None


def test_rows_of_another_kata_are_its_own() -> None:
    """A row with `of` takes another kata's mistakes, filled in with one's own parts."""
    residual = next(one for one in slips(GPT.folder) if one.id == "residual-missing")
    assert ("block_output = attended + mlp_output", "block_output = mlp_output") in [
        pair for edit in residual.edits for pair in edit
    ]


def test_programs_are_planted() -> None:
    """An operator changes one statement, and leaves what would say of itself that it is wrong."""
    text = "def f(x, opt, temperature):\n    opt.step()\n    x = x / temperature\n    return x\n"
    known = frozenset({"step-missing", "temperature-ignored", "temperature-multiplied"})
    assert {(one.line, one.wrong) for one in changes(text, known)} == {
        (2, "    opt.step"), (3, "    x = x * temperature"),
    }  # fmt: skip


def test_a_name_that_each_block_has_is_no_layers_alone(judged) -> None:
    """Blocks wrapped in what calls its norm `norm`, as the last norm is called, are read."""
    text = (CORPUS / "right" / "minigpt_wrapped_branches.py").read_text("utf-8")
    assert judged("minigpt", text).verdict == "pass"


@pytest.mark.costly
def test_a_number_that_is_called_as_a_size_may_be_none(judged) -> None:
    """`PER_BLOCK = 6` is no longest length, though `block` in a name says so elsewhere."""
    text = (CORPUS / "right" / "minigpt_six_linears_a_block.py").read_text("utf-8")
    assert judged("minigpt", text).verdict == "pass"


@pytest.mark.costly
def test_a_norms_gain_and_bias_may_be_one_parameter(judged) -> None:
    """What lies where no reading for all sizes says is told by derivatives at each."""
    text = (CORPUS / "right" / "minigpt-classifier_last_norm_in_one.py").read_text("utf-8")
    assert judged("minigpt-classifier", text).verdict == "pass"


@pytest.mark.costly
@pytest.mark.parametrize(
    ("before", "after", "mistake"),
    [
        (
            (
                "mlp_output = self.down_proj(activated)  # (batch, length, hidden_dim)\n"
                "        block_output = attended + mlp_output"
            ),
            "block_output = self.down_proj(activated)",
            "residual-missing",
        ),
        ("attended + mlp_output", "mlp_input + mlp_output", "residual-from-norm"),
        ("self.up_proj(mlp_input)", "self.up_proj(attended)", "norm-missing"),
    ],
)
def test_what_a_later_block_is_given_is_not_at_fault(judged, before, after, mistake) -> None:
    """A block's second half is meant where its first differs in the next block alone."""
    text = planted((before, after))
    assert told(judged("minigpt", text)) == {line_of(text, after): mistake}
