"""What a submission's process is asked. Each request says what answers it, and when in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from torch import Tensor

from . import answers
from .answers import Described, Functions, Loaded, Pretended, Ran, Started
from .forms import one_of, prepare

__all__ = [
    "Asked",
    "Attempt",
    "Call",
    "Config",
    "Describe",
    "Device",
    "Dtype",
    "FunctionRecipe",
    "Handed",
    "Input",
    "Kept",
    "Lap",
    "ListFunctions",
    "Load",
    "MakeCalls",
    "ObjectRecipe",
    "Prepare",
    "Pretend",
    "Recipe",
    "Record",
    "Request",
    "Series",
    "Start",
    "Timed",
    "Worth",
    "request_of",
    "warm_up",
]

_Answer = TypeVar("_Answer")
_Plain = int | float | bool | str | None


class Request(Generic[_Answer]):
    """What is asked, and answered with an `answer`."""

    __slots__ = ()

    answer: ClassVar[type[Any]]

    def whole(self, answer: _Answer) -> bool:  # noqa: ARG002 - most have no parts
        """Whether an answer has as many parts as were asked for, and each of them what it must."""
        return True


# -- what is called, and with what -----------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A setting that is the device on which the object is made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dtype:
    """A setting that is a dtype."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """An argument that is a configuration of the file's own kind. annotation: "" for none."""

    annotation: str = ""


Worth = Device | Dtype | _Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionRecipe:
    """What is called is there already, under this name."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectRecipe:
    """What is called is an object of a class.

    roles: what each role is worth, and each name with "=" before it. globals: what is set in the
    file first. spread: whether all settings that the file reads by name are given besides. still:
    frozen parameters, buffers and bare tensors that count as weights too.
    """

    name: str
    args: Sequence[Config | Worth] = ()
    kwargs: dict[str, Config | Worth] = field(default_factory=dict[str, Config | Worth])
    roles: dict[str, Worth] = field(default_factory=dict[str, Worth])
    globals: dict[str, Worth] = field(default_factory=dict[str, Worth])
    spread: bool = False
    still: Sequence[str] = ()


Recipe = FunctionRecipe | ObjectRecipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """An argument that is one of the call's tensors.

    lies: how it lies in memory, as `Lies` has it. keep: in the dtype that it has.
    """

    name: str
    lies: str = ""
    keep: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """An argument that is what an earlier call on the same object gave back, by its name."""

    name: str


Handed = Input | Kept | _Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What is noted while a call is made; see `Recorder` and `Watch`.

    silent, skip, halved: what dropouts and other calls do. uneven: whether those halved leave half
    of every other entry alone. follow: lines at which nothing cuts a
    gradient off, all where there are none, None to leave it as it is. wide: whether values of
    larger tensors are kept as well, those of a few. lines: whether the lines that run are noted.
    """

    steps: bool = True
    values: bool = False
    wide: bool = False
    given: bool = False
    growing: bool = False
    silent: bool = False
    skip: Sequence[str] = ()
    halved: Sequence[int] = ()
    uneven: bool = False
    follow: Sequence[int] | None = None
    lines: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Call:
    """One call. args, kwargs: its arguments. inputs: the tensors among them, by name.

    shapes: those of the results, the output's first, where they are known. grad: what derivatives
    of the output are summed with, where they are asked for. autograd: whether gradients are
    followed in any case. models: inputs that are a model's weights, and of which kind it is.
    autocast: the dtype that products are made in. hold: the name under which what
    it gives back is kept, None where nothing is; carried: what an earlier call kept. over: whether
    its inputs are written into the tensors of the call before. weights: what is written into the
    object's before it. dtype: what the object is brought to before it, and the inputs are in.
    """

    args: Sequence[Handed] = ()
    kwargs: dict[str, Handed] = field(default_factory=dict[str, Handed])
    inputs: dict[str, Tensor] = field(default_factory=dict[str, Tensor])
    shapes: Sequence[list[int]] = ()
    grad: Tensor | None = None
    autograd: bool = False
    models: dict[str, str] = field(default_factory=dict[str, str])
    record: Record | None = None
    train: bool = False
    autocast: str | None = None
    tf32: bool = False
    hold: str | None = None
    carried: str = ""
    over: bool = False
    weights: dict[str, Tensor] = field(default_factory=dict[str, Tensor])
    dtype: str = ""

    @property
    def shape(self) -> list[int] | None:
        """The output's shape."""
        return self.shapes[0] if self.shapes else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attempt:
    """An object to be made, and a call that shows whether it is what was meant."""

    recipe: Recipe
    call: Call
    dtype: str = "float32"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Series:
    """Calls on one object, which is made for them and has these weights.

    warm: a call that is made before the weights are there, for layers that come to be with it.
    record: whether the calls of its constructor are kept. wide: whether all but what learns
    stays in the dtype in which it was made. source: what stands in the file's place, "" for itself.
    """

    recipe: Recipe
    calls: Sequence[Call]
    warm: Call
    dtype: str
    weights: dict[str, Tensor] = field(default_factory=dict[str, Tensor])
    record: bool = False
    wide: bool = False
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Timed:
    """A call that is to be timed, and the object that it is made on."""

    recipe: Recipe
    call: Call


# -- requests --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Load(Request[Loaded]):
    """Run the file. path: its own, resolved. cells: a notebook's, by their lines.

    folders: those whose files it may import. package: the one that it is in, "" for none.
    kernels: whether it has kernels of Triton's, which are interpreted where there is no GPU.
    """

    answer = Loaded

    source: str
    path: str
    cells: list[list[int]] | None = None
    folders: Sequence[str] = ()
    package: str = ""
    kernels: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFunctions(Request[Functions]):
    """Say what can be called in the file and is no class."""

    answer = Functions


@dataclass(frozen=True, slots=True, kw_only=True)
class Describe(Request[Described]):
    """Make objects, call each once, and list their weights. values: with the numbers they hold."""

    answer = Described

    tries: Sequence[Attempt]
    values: bool = False

    def whole(self, answer: Described) -> bool:
        """Whether each try has its answer."""
        return len(answer.answers) == len(self.tries) and all(one.whole for one in answer.answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeCalls(Request[Ran]):
    """Make fresh objects and call them."""

    answer = Ran

    series: Sequence[Series]

    def whole(self, answer: Ran) -> bool:
        """Whether each call of an object that could be made has its answer."""
        return len(self.series) == len(answer.results) and all(
            result.fault is not None or len(result.answers) == len(asked.calls)
            for asked, result in zip(self.series, answer.results, strict=True)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pretend(Request[Pretended]):
    """Make each call on an object of its own, as on a GPU machine. warm: as in a series."""

    answer = Pretended

    recipe: Recipe
    warm: Call
    calls: Sequence[Call]

    def whole(self, answer: Pretended) -> bool:
        """Whether each call has its answer, and what went wrong its fault."""
        told = all(one.fault is not None for one in answer.answers if one.kind)
        return told and len(answer.answers) == len(self.calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Start(Request[Started]):
    """Take hold of a device; from then on every object is moved and called there."""

    answer = Started

    device: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepare(Request[answers.Lap]):
    """Make what is timed, and call it once. memory: whether to listen to what it takes."""

    answer = answers.Lap

    calls: Sequence[Timed]
    device: str
    memory: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Lap(Request[answers.Lap]):
    """Time what was prepared once more."""

    answer = answers.Lap


Asked = Load | ListFunctions | Describe | MakeCalls | Pretend | Start | Prepare | Lap
_KINDS = (Load, ListFunctions, Describe, MakeCalls, Pretend, Start, Prepare, Lap)


def request_of(message: Any) -> Asked:
    """Make a request of what was received. Raise Garbled where it is none."""
    return one_of(_KINDS, message)


def warm_up() -> None:
    """Work out all forms, before anything is asked."""
    prepare(*_KINDS, *(kind.answer for kind in _KINDS))
