"""What a candidate's process answers, as the judge takes it: claims in a form that is held.

What an answer says is compared with behaviour elsewhere. Nothing in it can be more than
numbers, texts and tensors, whatever the candidate's code makes its process send.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

__all__ = [
    "Described",
    "Dropout",
    "Entry",
    "Functions",
    "Global",
    "Lap",
    "Loaded",
    "Operation",
    "Outcome",
    "Parameter",
    "Part",
    "Pretended",
    "Raised",
    "Ran",
    "Run",
    "Seen",
    "Started",
    "Step",
    "Stray",
    "Try",
]


@dataclass(slots=True, kw_only=True)
class Seen:
    """A tensor that stood where something was raised."""

    name: str
    shape: list[int]
    dtype: str


@dataclass(slots=True, kw_only=True)
class Part:
    """An operand, as it is written. least, most: of one of whole numbers, its smallest and largest.

    Both are None where they were not looked for.
    """

    text: str
    shape: list[int]
    dtype: str
    least: int | None = None
    most: int | None = None


@dataclass(slots=True, kw_only=True)
class Operation:
    """The expression that raised. call: what it does, `matmul`, `+` or a function's name.

    numbers: the whole numbers that it is given, by their place or their keyword. length: how many
    entries the list or tuple has that it is about; None where there is none.
    """

    call: str
    text: str
    parts: list[Part]
    numbers: dict[str, int] = field(default_factory=dict[str, int])
    length: int | None = None


@dataclass(slots=True, kw_only=True)
class Raised:
    """An exception. kinds: its type's name and those of the types above it. line: the file's own.

    phase: where it was raised: construct, forward or backward; "" as the file was run.
    """

    type: str
    kinds: list[str]
    message: str
    line: int | None
    tensors: list[Seen] = field(default_factory=list[Seen])
    made_of: Operation | None = None
    phase: str = ""


@dataclass(slots=True, kw_only=True)
class Field:
    """What may be told by its name. kind: as `inspect` names it. annotation: "" for none."""

    name: str
    kind: str
    has_default: bool
    default: int | float | bool | str | None
    annotation: str = ""


@dataclass(slots=True, kw_only=True)
class Parameter(Field):
    """A parameter of a signature.

    fields: of what holds several settings, and of its parts. read: they are what the code reads,
    which may have two names for one; no kind says what there is.
    """

    fields: list[Field] = field(default_factory=list[Field])
    read: bool = False


@dataclass(slots=True, kw_only=True)
class Entry:
    """A function or a class of the file.

    arguments: what it is called with, a class's forward, None where nobody can tell or it has
    none. Of a class alone module, bases and constructor: whether it is an `nn.Module`, the names
    of its bases, and what it is made with.
    """

    name: str
    line: int | None
    arguments: list[Parameter] | None
    module: bool = False
    bases: list[str] = field(default_factory=list[str])
    constructor: list[Parameter] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Global:
    """A number among the file's globals."""

    name: str
    value: int | float


@dataclass(slots=True, kw_only=True)
class Loaded:
    """The file was run. fault: what it raised."""

    fault: Raised | None
    classes: list[Entry]
    sizes: list[Global]


@dataclass(slots=True, kw_only=True)
class Functions:
    """What can be called in the file and is no class."""

    functions: list[Entry]


@dataclass(slots=True, kw_only=True, eq=False)
class Step:
    """A torch call. lines: the file's lines that led to it, the innermost first.

    numbers: those among its arguments. shapes: its arguments'. shape, dtype: its result's.
    values, marks: its results with and without floats. module: the layer that it belongs to.
    spelt: how it is written, "" where that was not asked. fresh: how many entries its result's
    memory has, 0 where an input has it. derives: whether gradients go through it. cut: whether
    gradients reach it and go no further.
    """

    call: str
    line: int | None
    numbers: list[float]
    shapes: list[list[int]]
    shape: list[int] | None
    lines: list[int]
    weights: list[str]
    dtype: str | None
    values: list[Tensor] = field(default_factory=list[Tensor])
    marks: list[Tensor] = field(default_factory=list[Tensor])
    module: str | None = None
    spelt: str = ""
    fresh: int = 0
    derives: bool = False
    cut: bool = False
    # What is worked out of its values, by the judge.
    signatures: dict[int, Any] = field(default_factory=dict[int, Any], init=False, compare=False)

    @property
    def written(self) -> str:
        """How it is written, else what is called."""
        return self.spelt or self.call


@dataclass(slots=True, kw_only=True, eq=False)
class Dropout:
    """A call of dropout. input: what it was given, where that was asked. mapped: inside a vmap."""

    p: float
    training: bool
    line: int | None
    module: str | None
    shape: list[int]
    mapped: bool = False
    input: Tensor | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class Outcome:
    """What came of one call.

    out: the output; container: the type it came in; place: where it lay there; many: of how many.
    outs: the tensors that came back. attached: whether gradients reach the output; grads,
    input_grads: those of weights and inputs. modified: inputs that it wrote to. strides,
    contiguous, entries: how the first result lies in memory; shares: the inputs whose memory it
    has. carried: the type of what is kept for the next call, "" for none; held: its entries.
    rewritten: whether it changed what it was handed by an earlier call. made: the constructor's
    steps, which a run tells once.
    """

    modified: list[str] = field(default_factory=list[str])
    out: Tensor | None = None
    container: str | None = None
    place: int = 0
    attached: bool = False
    grads: dict[str, Tensor | None] = field(default_factory=dict[str, "Tensor | None"])
    input_grads: dict[str, Tensor | None] = field(default_factory=dict[str, "Tensor | None"])
    fault: Raised | None = None
    steps: list[Step] = field(default_factory=list[Step])
    dropouts: list[Dropout] = field(default_factory=list[Dropout])
    lines: list[int] = field(default_factory=list[int])
    outs: list[Tensor] = field(default_factory=list[Tensor])
    many: int = 0
    strides: list[int] = field(default_factory=list[int])
    contiguous: bool = False
    shares: list[str] = field(default_factory=list[str])
    entries: int = 0
    carried: str = ""
    held: int | None = None
    rewritten: bool = False
    made: list[Step] = field(default_factory=list[Step])


@dataclass(slots=True, kw_only=True)
class Try:
    """An object was to be made and called once.

    phase: how far it came: construct or forward where it raised there, done. fits: whether the
    output has its shape. registered, hidden: shapes of weights that torch knows of and that it
    does not. modules: names and kinds. plain: attributes and buffers that are bare tensors.
    frozen: parameters that do not learn, beside others. still: those of the hidden ones that do
    not. together: names of weights that lie in one memory. values: the weights, where they are
    asked for.
    """

    phase: str
    printed: list[int | None]
    fault: Raised | None = None
    answer: Outcome = field(default_factory=Outcome)
    fits: bool = False
    registered: dict[str, list[int]] = field(default_factory=dict[str, "list[int]"])
    hidden: dict[str, list[int]] = field(default_factory=dict[str, "list[int]"])
    modules: list[list[str]] = field(default_factory=list["list[str]"])
    plain: list[str] = field(default_factory=list[str])
    frozen: list[str] = field(default_factory=list[str])
    still: list[str] = field(default_factory=list[str])
    together: list[list[str]] = field(default_factory=list["list[str]"])
    values: dict[str, Tensor] = field(default_factory=dict[str, Tensor])

    @property
    def whole(self) -> bool:
        """Whether it says what its phase must."""
        if self.phase == "done":
            return all(len(one) == 2 for one in self.modules)
        return self.phase in {"construct", "forward"} and self.fault is not None


@dataclass(slots=True, kw_only=True)
class Described:
    """What came of each object that was to be made."""

    answers: list[Try]


@dataclass(slots=True, kw_only=True)
class Run:
    """The calls on one object, or what making it raised. made: its constructor's steps."""

    fault: Raised | None = None
    answers: list[Outcome] = field(default_factory=list[Outcome])
    made: list[Step] = field(default_factory=list[Step])


@dataclass(slots=True, kw_only=True)
class Ran:
    """What came of the runs. printed: the lines that printed meanwhile."""

    results: list[Run]
    printed: list[int | None]


@dataclass(slots=True, kw_only=True)
class Lap:
    """What is timed was called. bytes, events: its memory, where that was listened to."""

    seconds: float = 0.0
    bytes: int | None = None
    events: int = 0
    fault: Raised | None = None


@dataclass(slots=True, kw_only=True)
class Started:
    """A device was taken hold of. reason: why not; None where it was."""

    reason: str | None = None
    place: str = ""
    name: str = ""
    count: int = 0


@dataclass(slots=True, kw_only=True)
class Stray:
    """What was raised where two devices met. kind: "" for nothing, else what was left behind.

    of: the function that was called, which the judge fills in.
    """

    fault: Raised | None = None
    kind: str = ""
    name: str = ""
    line: int | None = None
    of: str = ""


@dataclass(slots=True, kw_only=True)
class Pretended:
    """What came of each call as on a GPU machine."""

    answers: list[Stray]
