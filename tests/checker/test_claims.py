"""What comes back from a candidate: its form is held before anything is made of it."""

from __future__ import annotations

import copy
import socket
from typing import Any

import pytest
import torch
from attn_kata.checker.process import claims, whereabouts, wire
from attn_kata.checker.process.answers import Outcome, Raised, Ran, Run
from attn_kata.checker.process.forms import decode
from attn_kata.checker.process.requests import (
    Attempt,
    Call,
    Config,
    Describe,
    Device,
    Dtype,
    FunctionRecipe,
    Input,
    Kept,
    Lap,
    ListFunctions,
    Load,
    MakeCalls,
    ObjectRecipe,
    Prepare,
    Pretend,
    Record,
    Request,
    Series,
    Start,
    Timed,
    request_of,
)
from attn_kata.checker.process.whereabouts import Place

FAULT = {
    "type": "ValueError",
    "kinds": ["ValueError"],
    "message": "so",
    "line": 3,
    "tensors": [{"name": "x", "shape": [2, 3], "dtype": "float32"}],
    "made_of": {
        "call": "gather", "text": "x.gather(1, at)", "numbers": {"0": 1}, "length": None,
        "parts": [{"text": "at", "shape": [2], "dtype": "int64", "least": -1, "most": 4}],
    },
}  # fmt: skip
HERE = FunctionRecipe(name="here")
SERIES = Series(recipe=HERE, calls=[Call(), Call()], warm=Call(), dtype="float64")
RUN = MakeCalls(series=[SERIES])


def call(**fields: Any) -> dict[str, Any]:
    """Return one call's answer."""
    return {"out": torch.zeros(1), "container": None, "modified": [], **fields}


@pytest.mark.parametrize(
    "answer",
    [
        {"results": [{"answers": [call(), call(grads={"w": None})]}]},
        {"results": [{"fault": FAULT}]},
        {"results": [{"answers": [call(), {"fault": FAULT, "modified": ["x"]}]}]},
    ],
)
def test_answers_are_taken(answer: dict[str, Any]) -> None:
    """Outputs, faults and gradients are answers."""
    told = claims.understood(RUN, copy.deepcopy({**answer, "printed": [3, None]}))
    assert isinstance(told, Ran)
    assert len(told.results) == len(answer["results"])


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        {},
        {"verdict": "pass"},
        {"results": "pass"},
        {"results": []},
        {"results": [{}]},
        {"results": [{"fault": FAULT}], "printed": ["3"]},
        {"results": [{"answers": [call()]}]},
        {"results": [{"answers": [call(), call(out="pass")]}]},
        {"results": [{"answers": [call(), call(verdict="pass")]}]},
        {"results": [{"answers": [call(), call(grads=[1])]}]},
        {"results": [{"fault": {**FAULT, "line": "3"}}]},
        {"results": [{"fault": {**FAULT, "kinds": "ValueError"}}]},
        {"results": [{"fault": {**FAULT, "tensors": [["x", [2], "float32"]]}}]},
        {"results": [{"answers": [call(), call(steps=[{"call": "view", "line": 3}])]}]},
    ],
)
def test_other_forms_are_not(answer: Any) -> None:
    """Another form, or fewer parts than were asked for, is garbled."""
    given = {"printed": [], **answer} if isinstance(answer, dict) else answer
    with pytest.raises(wire.Garbled):
        claims.understood(RUN, copy.deepcopy(given))


OBJECT = ObjectRecipe(
    name="Here", args=[1, Config(annotation="Settings")], kwargs={"p": 0.1, "device": Device()},
    roles={"dtype": Dtype(name="float32"), "width": 4, "head_dim": None}, globals={"D": 4},
    spread=True,
)  # fmt: skip
CALL = Call(
    args=[Input(name="x", keep=True), True, None], kwargs={"past": Kept(name="a"), "scale": 0.5},
    inputs={"x": torch.ones(1, 2)}, shapes=[[1, 2]], record=Record(skip=["relu"]), hold="",
)  # fmt: skip


@pytest.mark.parametrize(
    "request_",
    [
        Load(source="x = 1", path="/x.py", cells=[[1, 2]], folders=["/"], package="a.b"),
        ListFunctions(),
        Describe(tries=[Attempt(recipe=OBJECT, call=CALL)]),
        RUN,
        Pretend(recipe=HERE, warm=CALL, calls=[CALL]),
        Start(device="cuda"),
        Prepare(calls=[Timed(recipe=OBJECT, call=CALL)], device="cpu", memory=True),
        Lap(),
    ],
    ids=lambda request: type(request).__name__,
)
def test_requests_come_as_they_were_sent(request_: Request[Any]) -> None:
    """Each request is of its own kind on the other side, down to what each argument is."""
    assert repr(request_of(wire.unpack(*wire.pack(request_)))) == repr(request_)


@pytest.mark.parametrize(
    "message",
    [
        None,
        {},
        {wire.KIND: "Call"},
        {wire.KIND: []},
        {wire.KIND: "Start"},
        {wire.KIND: "Lap", "side": "yours"},
        {wire.KIND: "Pretend", "recipe": {"name": "f"}, "warm": {}, "calls": []},
        {wire.KIND: "Describe", "tries": [{"recipe": HERE.name, "call": {}}]},
    ],
)
def test_what_is_no_request_is_garbled(message: Any) -> None:
    """Without its kind, with that of a part, and where parts are not told apart, it is none."""
    with pytest.raises(wire.Garbled):
        request_of(message)


def test_memory_is_found_wherever_it_ran_out() -> None:
    """A fault for want of memory is found in any part, by Python's words and by torch's."""
    words = "[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 1"
    for fault in ({**FAULT, "kinds": ["MemoryError"]}, {**FAULT, "message": words}):
        raised = decode(Raised, copy.deepcopy(fault))
        run = Run(answers=[Outcome(), Outcome(fault=raised)])
        assert claims.out_of_memory(Ran(results=[run], printed=[])) is raised
    run = Run(fault=decode(Raised, copy.deepcopy(FAULT)))
    assert claims.out_of_memory(Ran(results=[run], printed=[])) is None


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"nonsense",
        b"[" * 100_000,
        b"9" * 10_000,
        b'{"\\u0000tensor": ["float64"]}',
        b'{"\\u0000tensor": ["float64", 3]}',
        b'{"\\u0000tensor": ["code", [1]]}',
        b'{"\\u0000tensor": ["float64", [1]]}',
        b'{"\\u0000tensor": ["float64", [-1]]}',
        b'{"\\u0000tensor": ["float64", [true]]}',
        b'{"\\u0000tensor": ["float64", [0, 4611686018427387904, 4611686018427387904]]}',
        b'{"\\u0000tensor": ["float64", [' + b"1, " * 99 + b"1]]}",
    ],
    ids=lambda text: repr(text[:40]),
)
def test_what_is_no_message_is_garbled(text: bytes) -> None:
    """Whatever bytes come, they are a message or garbled, and nothing else happens."""
    with pytest.raises(wire.Garbled):
        wire.unpack(text, b"")


def test_a_message_that_promises_too_much_is_not_waited_for() -> None:
    """A length that no message of ours has is garbled at once."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"\xff" * 16)
        with pytest.raises(wire.Garbled):
            wire.receive(ours)


def test_tensors_come_back_as_they_were() -> None:
    """Views, conjugates and negatives travel as the values that they show."""
    plain = torch.arange(6, dtype=torch.float64).reshape(2, 3)
    odd = torch.complex(plain, plain + 1).conj()
    for tensor in (plain.T, plain[:, 1:], odd, odd.imag, plain.new_empty(0, 3), torch.tensor(True)):
        back = wire.unpack(*wire.pack({"it": tensor}))["it"]
        assert back.dtype is tensor.dtype
        assert torch.equal(back, tensor.resolve_conj().resolve_neg())


DUMP = """Thread 0x00007f0000000001 (most recent call first):
  File "/x/mine.py", line 7 in spin
  File "/usr/lib/python3/threading.py", line 1000 in run

Current thread 0x00007f0000000002 (most recent call first):
  File "/usr/lib/python3/torch/nn/functional.py", line 90 in linear
  File "/x/{name}", line 12 in helper
  File "/x/{name}", line 30 in forward
  File "/y/checker/candidate/worker.py", line 200 in {function}
  File "/y/checker/candidate/worker.py", line 90 in answer
"""


@pytest.mark.parametrize(
    ("function", "phase"),
    [
        ("load", "import"),
        ("_built", "construct"),
        ("_call", "forward"),
        ("gradients", "backward"),
        ("elsewhere", None),
    ],
)
def test_frames_tell_phase_and_line(function: str, phase: str | None) -> None:
    """The innermost line of the file, in the thread that serves the judge, and what it was at."""
    text = DUMP.format(name="mine.py", function=function)
    assert whereabouts.read(text, "/x/mine.py").phase == phase
    assert whereabouts.read(text, "/x/mine.py").line == 12


def test_frames_of_oddly_named_files() -> None:
    """A name is found again as Python writes it there: escaped, and cut where it is long."""
    text = DUMP.format(name="\\u6ce8\\x0a\\xe9.py", function="_call")
    assert whereabouts.read(text, "/x/注\n\xe9.py").line == 12
    long = "n" * 600
    text = DUMP.format(name=f"{long[:497]}...", function="_call")
    assert whereabouts.read(text, f"/x/{long}.py").line == 12
    assert whereabouts.read("Fatal Python error: Aborted\n", "/x/mine.py") == Place()
