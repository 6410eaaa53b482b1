"""Small programs on a GPU, each with the answer that torch's documented rules give.

`x` is (3, 3), on the GPU. `m` is a `Keeper` that was moved there: its weight and its buffer
are on the GPU, `m.plain` and what is in `m.kept` stayed on the CPU.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

__all__ = ["PROGRAMS", "RULES", "Keeper", "Program", "keeper_on"]

# Where each rule is written: torch's documentation, or what its operators declare.
RULES = {
    "default": "a factory without `device=` makes its tensor on the CPU, the default device "
    "(torch.set_default_device)",
    "asked": "`device=` says where a factory makes its tensor (Creation Ops)",
    "data": "torch.tensor and as_tensor of a tensor stay on its device (torch.tensor)",
    "like": "`*_like` and `new_*` make theirs on the tensor's own device (Tensor.new_ones)",
    "move": "`.to`, `.cuda`, `.cpu`, `.type` copy to another device (Tensor.to)",
    "module": "Module.to moves parameters and buffers, and nothing else (nn.Module.to)",
    "same": "operands must be on one device (CUDA semantics)",
    "scalar": "a CPU tensor without axes may join an elementwise operator (CUDA semantics; "
    "`device_check: NoCheck` in native_functions.yaml)",
    "strict": "an operator without `device_check: NoCheck` takes tensors of one device alone, "
    "those without axes too (native_functions.yaml)",
    "written": "what is written into must be where the operands are (TensorIterator: an output "
    "is no scalar that could join)",
    "copy": "copy_ and writing to a slice carry values from any device (CUDA semantics: "
    "copy-like methods)",
    "index": "indices may be on the CPU or where what they index is (Tensor.index_put_)",
    "fill": "masked_fill's mask is where the tensor is; its value may be a scalar from the CPU "
    "(Tensor.masked_fill_)",
    "number": "Python numbers and sizes have no device",
    "numpy": "only a CPU tensor becomes an array (Tensor.numpy)",
    "asks": "`.device`, `.is_cuda`, get_device and torch.cuda.is_available tell where one is",
}


class Keeper(nn.Module):
    """A parameter, a buffer, and tensors that `.to()` leaves behind."""

    buffer: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3, 3))
        self.register_buffer("buffer", torch.ones(3, 3))
        self.plain = torch.ones(3, 3)
        self.kept = [torch.ones(3, 3)]


def keeper_on(device: str) -> Any:
    """What a Keeper holds once it was moved, as plain tensors, which need be no real ones."""

    class Held:
        weight = torch.ones(3, 3, device=device)
        buffer = torch.ones(3, 3, device=device)
        plain = torch.ones(3, 3)
        kept = (torch.ones(3, 3),)

    return Held()


@dataclass(frozen=True, slots=True)
class Program:
    """A program, the rule that decides it, and whether a GPU runs it."""

    name: str
    rule: str
    runs: bool
    run: Callable[[Tensor, Any], object]


def _with_default(x: Tensor) -> object:
    with torch.device(x.device):
        return x + torch.ones(3, 3)


def _slice_set(x: Tensor, key: Any, value: Any) -> object:
    copy = x.clone()
    copy[key] = value
    return copy


def _added_to(target: Tensor, value: Tensor) -> object:
    target += value
    return target


def _branch(x: Tensor) -> object:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return x + torch.ones(3, 3, device=device)


_FINE: list[tuple[str, str, Callable[[Tensor, Any], object]]] = [
    ("a parameter", "module", lambda x, m: x @ m.weight),
    ("a buffer", "module", lambda x, m: x + m.buffer),
    ("a factory on x.device", "asked", lambda x, m: x + torch.ones(3, 3, device=x.device)),
    ("a factory on 'cuda'", "asked", lambda x, m: x + torch.zeros(3, device="cuda")),
    ("a factory on 'cuda:0'", "asked", lambda x, m: x + torch.zeros(3, device="cuda:0")),
    ("a factory on its number", "asked", lambda x, m: x + torch.zeros(3, device=x.get_device())),
    ("arange on x.device", "asked", lambda x, m: x * (torch.arange(3, device=x.device) < 2)),
    ("tril on x.device", "asked", lambda x, m: torch.tril(torch.ones(3, 3, device=x.device)) * x),
    ("a constant on x.device", "asked", lambda x, m: x + torch.tensor([1.0, 2, 3], device=x.device)),
    ("as_tensor on x.device", "asked", lambda x, m: x + torch.as_tensor([1.0, 2, 3], device=x.device)),
    ("with torch.device(x.device)", "asked", lambda x, m: _with_default(x)),
    ("a Parameter made on x.device", "asked",
     lambda x, m: x + nn.Parameter(torch.ones(3, device=x.device))),
    ("a layer made on x.device", "asked", lambda x, m: nn.Linear(3, 3, device=x.device)(x)),
    ("torch.tensor of a tensor", "data", lambda x, m: x + torch.as_tensor(m.buffer)),
    ("ones_like", "like", lambda x, m: x + torch.ones_like(x)),
    ("full_like", "like", lambda x, m: x + torch.full_like(x, 2.0)),
    ("zeros_like of a buffer", "like", lambda x, m: x + torch.zeros_like(m.buffer)),
    ("like a CPU tensor, on x.device", "like",
     lambda x, m: x + torch.ones_like(m.plain, device=x.device)),
    ("new_ones", "like", lambda x, m: x + x.new_ones(3)),
    ("new_zeros", "like", lambda x, m: x * x.new_zeros(3, 3)),
    ("new_full", "like", lambda x, m: x + x.new_full((3,), 1.0)),
    ("new_tensor", "like", lambda x, m: x + x.new_tensor([1.0, 2.0, 3.0])),
    ("to(x.device)", "move", lambda x, m: x + torch.ones(3).to(x.device)),
    ("to(device=…, dtype=…)", "move",
     lambda x, m: x + torch.ones(3).to(device=x.device, dtype=torch.float64)),
    ("to(a tensor)", "move", lambda x, m: x + torch.ones(3).to(x)),
    ("to(a dtype) stays", "move", lambda x, m: x.to(torch.float64) + m.buffer),
    ("cuda()", "move", lambda x, m: x + torch.ones(3).cuda()),
    ("cuda(0)", "move", lambda x, m: x + torch.ones(3).cuda(0)),
    ("type_as", "move", lambda x, m: x + torch.ones(3).type_as(x)),
    ("float(), double() stay", "move", lambda x, m: x.double() + m.buffer.float()),
    ("a plain attribute, moved", "move", lambda x, m: x + m.plain.to(x.device)),
    ("the CPU's copy alone", "move", lambda x, m: x.cpu() + torch.ones(3)),
    ("there and back", "move", lambda x, m: x.cpu().to(x.device) + m.buffer),
    ("a list's tensor, moved", "move", lambda x, m: x + m.kept[0].to(x.device)),
    ("a number", "number", lambda x, m: x / 2.0),
    ("item()", "number", lambda x, m: x * m.buffer.sum().item()),
    ("a size", "number", lambda x, m: x / m.plain.size(0) ** 0.5),
    ("expand_as a CPU tensor", "number", lambda x, m: x[:1].expand_as(m.plain) + x),
    ("view_as a CPU tensor", "number", lambda x, m: x.view_as(m.plain) + x),
    ("float() of a sum", "number", lambda x, m: x * float(m.plain.sum())),
    ("a CPU scalar", "scalar", lambda x, m: x / torch.tensor(2.0)),
    ("a CPU scalar first", "scalar", lambda x, m: torch.tensor(2.0) * x),
    ("sqrt of a CPU scalar", "scalar", lambda x, m: x / torch.sqrt(torch.tensor(9.0))),
    ("an entry of a CPU tensor", "scalar", lambda x, m: x * m.plain[0, 0]),
    ("maximum with a CPU scalar", "scalar", lambda x, m: torch.maximum(x, torch.tensor(0.0))),
    ("compared with a CPU scalar", "scalar", lambda x, m: x > torch.tensor(0.0)),
    ("less a CPU scalar", "scalar", lambda x, m: x - torch.tensor(1.0)),
    ("a CPU scalar added in place", "scalar", lambda x, m: _added_to(x.clone(), torch.tensor(1.0))),
    ("where with a CPU scalar", "scalar", lambda x, m: torch.where(x > 0, x, torch.tensor(0.0))),
    ("where", "same", lambda x, m: torch.where(m.buffer > 0, x, torch.zeros_like(x))),
    ("views", "same",
     lambda x, m: x.view(9).reshape(3, 3).transpose(0, 1).contiguous() @ m.weight),
    ("chunk", "same", lambda x, m: x.chunk(3)[0] + m.buffer),
    ("cat", "same", lambda x, m: torch.cat([x, m.buffer])),
    ("stack", "same", lambda x, m: torch.stack([x, x * 2])),
    ("einsum", "same", lambda x, m: torch.einsum("ij,jk->ik", x, m.weight)),
    ("softmax", "same", lambda x, m: x.softmax(-1) @ m.weight),
    ("linear", "same", lambda x, m: F.linear(x, m.weight, m.buffer[0])),
    ("dropout", "same", lambda x, m: F.dropout(x, 0.5) + m.buffer),
    ("the CPU among itself", "same", lambda x, m: m.plain @ m.plain + torch.ones(3)),
    ("expand", "same", lambda x, m: m.buffer[:1].expand(3, 3) + x),
    ("CPU indices", "index", lambda x, m: x[torch.tensor([0, 1])]),
    ("a CPU mask as index", "index", lambda x, m: x[torch.tensor([True, False, True])]),
    ("a list as index", "index", lambda x, m: x[[0, 2]] + m.buffer[:2]),
    ("slices", "index", lambda x, m: x[:2] + m.buffer[:2]),
    ("a number at CPU indices", "index", lambda x, m: _slice_set(x, torch.tensor([0]), 1.0)),
    ("a CPU scalar at CPU indices", "index",
     lambda x, m: _slice_set(x, torch.tensor([0]), torch.tensor(1.0))),
    ("masked_fill", "fill", lambda x, m: x.masked_fill(m.buffer == 0, float("-inf"))),
    ("masked_fill with a CPU scalar", "fill",
     lambda x, m: x.masked_fill(m.buffer == 0, torch.tensor(-1e9))),
    ("copy_ from the CPU", "copy", lambda x, m: torch.empty_like(x).copy_(torch.ones(3, 3))),
    ("copy_ to the CPU", "copy", lambda x, m: torch.empty(3, 3).copy_(x)),
    ("a slice from the CPU", "copy", lambda x, m: _slice_set(x, 0, torch.ones(3))),
    ("add_ of a buffer", "written", lambda x, m: x.clone().add_(m.buffer)),
    ("out= on x.device", "written", lambda x, m: torch.add(x, x, out=torch.empty_like(x))),
    ("numpy of the CPU's copy", "numpy", lambda x, m: x.detach().cpu().numpy()),
    ("numpy and back to the GPU", "numpy",
     lambda x, m: x + torch.from_numpy(x.detach().cpu().numpy()).to(x.device)),
    ("tolist", "numpy", lambda x, m: x.tolist()),
    ("is_cuda", "asks", lambda x, m: x + (m.buffer if x.is_cuda else m.plain)),
    ("is_cpu", "asks", lambda x, m: x + (m.plain if x.is_cpu else m.buffer)),
    ("device.type", "asks", lambda x, m: x + torch.ones(3, device=x.device.type)),
    ("the weight's device", "asks", lambda x, m: x + torch.ones(3, device=m.weight.device)),
    ("is_available", "asks", lambda x, m: _branch(x)),
]  # fmt: skip

_WRONG: list[tuple[str, str, Callable[[Tensor, Any], object]]] = [
    ("a factory", "default", lambda x, m: x + torch.ones(3)),
    ("matmul with a factory's", "default", lambda x, m: x @ torch.ones(3, 3)),
    ("a triangle", "default", lambda x, m: x * torch.tril(torch.ones(3, 3))),
    ("arange", "default", lambda x, m: x * (torch.arange(3) < 2)),
    ("a constant", "default", lambda x, m: x + torch.tensor([1.0, 2.0, 3.0])),
    ("a constant of one entry", "default", lambda x, m: x + torch.tensor([1.0])),
    ("as_tensor of a list", "default", lambda x, m: x + torch.as_tensor([1.0, 2.0, 3.0])),
    ("a legacy FloatTensor", "default", lambda x, m: x + torch.FloatTensor([1.0, 2.0, 3.0])),
    ("eye", "default", lambda x, m: x @ torch.eye(3)),
    ("full", "default", lambda x, m: x + torch.full((3, 3), float("-inf"))),
    ("rand", "default", lambda x, m: x * torch.rand(3, 3)),
    ("a Parameter made on the way", "default", lambda x, m: x + nn.Parameter(torch.ones(3))),
    ("a layer made on the way", "default", lambda x, m: nn.Linear(3, 3)(x)),
    ("arithmetic on the way", "default", lambda x, m: x + (torch.ones(3) * 2 - 1)),
    ("a Python list of its scalars", "default",
     lambda x, m: x + torch.tensor([x[0, 0].item(), 1.0, 2.0])),
    ("device='cpu'", "asked", lambda x, m: x + torch.ones(3, device="cpu")),
    ("another GPU", "asked", lambda x, m: x + torch.ones(3, device="cuda:1")),
    ("torch.tensor of a CPU tensor", "data", lambda x, m: x + torch.as_tensor(m.plain)),
    ("like a CPU tensor", "like", lambda x, m: x + torch.ones_like(m.plain)),
    ("new_ones of a CPU tensor", "like", lambda x, m: x + m.plain.new_ones(3)),
    ("cpu()", "move", lambda x, m: x.cpu() + m.buffer),
    ("to('cpu')", "move", lambda x, m: x.to("cpu") @ m.weight),
    ("to(device='cpu')", "move", lambda x, m: x.to(device="cpu") + m.buffer),
    ("to a CPU tensor", "move", lambda x, m: x.to(m.plain) + m.buffer),
    ("type_as a CPU tensor", "move", lambda x, m: x.type_as(m.plain) + m.buffer),
    ("to() thrown away", "move", lambda x, m: (m.plain.to(x.device), x + m.plain)),
    ("type('torch.FloatTensor')", "move", lambda x, m: x.type("torch.FloatTensor") + m.buffer),
    ("a plain attribute", "module", lambda x, m: x + m.plain),
    ("a slice of one", "module", lambda x, m: x[:2] + m.plain[:2]),
    ("one transposed", "module", lambda x, m: x @ m.plain.T),
    ("one expanded", "module", lambda x, m: x + m.plain[:1].expand(3, 3)),
    ("one's data", "module", lambda x, m: x + m.plain.data),
    ("a tensor in a list", "module", lambda x, m: x + m.kept[0]),
    ("where's mask", "same",
     lambda x, m: torch.where(torch.ones(3, 3) > 0, x, torch.zeros_like(x))),
    ("where's other branch", "same", lambda x, m: torch.where(x > 0, x, torch.zeros(3))),
    ("einsum with a factory's", "same", lambda x, m: torch.einsum("ij,jk->ik", x, torch.ones(3, 3))),
    ("linear's weight", "same", lambda x, m: F.linear(x, torch.ones(3, 3))),
    ("linear's bias", "same", lambda x, m: F.linear(x, m.weight, torch.ones(3))),
    ("layer_norm's weight", "same", lambda x, m: F.layer_norm(x, (3,), torch.ones(3))),
    ("compared", "same", lambda x, m: x == m.plain),
    ("logical and", "same", lambda x, m: (x > 0) & (m.plain > 0)),
    ("a GPU's scalar on the CPU", "scalar", lambda x, m: m.plain * m.buffer.sum()),
    ("cat with a factory's", "strict", lambda x, m: torch.cat([x, torch.ones(1, 3)])),
    ("stack with a factory's", "strict", lambda x, m: torch.stack([x, torch.ones(3, 3)])),
    ("stack of scalars", "strict", lambda x, m: torch.stack([x.sum(), torch.tensor(1.0)])),
    ("index_select", "strict", lambda x, m: x.index_select(0, torch.tensor([0, 1]))),
    ("gather", "strict", lambda x, m: x.gather(0, torch.zeros(1, 3, dtype=torch.int64))),
    ("scatter's indices", "strict",
     lambda x, m: x.scatter(0, torch.zeros(1, 3, dtype=torch.int64), 1.0)),
    ("embedding's indices", "strict", lambda x, m: F.embedding(torch.tensor([0, 1]), m.weight)),
    ("equal", "strict", lambda x, m: torch.equal(x, m.plain)),
    ("clamp by a CPU scalar", "strict", lambda x, m: torch.clamp(x, min=torch.tensor(0.0))),
    ("masked_fill by a factory's mask", "fill", lambda x, m: x.masked_fill(torch.ones(3, 3) == 0, 0.0)),
    ("masked_fill by a plain mask", "fill", lambda x, m: x.masked_fill(m.plain == 0, 0.0)),
    ("masked_fill by a CPU scalar mask", "fill",
     lambda x, m: x.masked_fill(torch.tensor(True), 0.0)),
    ("masked_fill of a CPU tensor", "fill", lambda x, m: m.plain.masked_fill(x > 0, 0.0)),
    ("masked_fill_", "fill", lambda x, m: x.clone().masked_fill_(m.plain == 0, 0.0)),
    ("add_", "written", lambda x, m: x.clone().add_(torch.ones(3, 3))),
    ("mul_", "written", lambda x, m: x.clone().mul_(m.plain)),
    ("add_ to a CPU tensor", "written", lambda x, m: torch.ones(3, 3).add_(x)),
    ("add_ to a CPU scalar", "written", lambda x, m: torch.tensor(1.0).add_(x.sum())),
    ("+=", "written", lambda x, m: _added_to(x.clone(), torch.ones(3, 3))),
    ("out= on the CPU", "written", lambda x, m: torch.add(x, x, out=torch.empty(3, 3))),
    ("a CPU tensor by GPU indices", "index", lambda x, m: m.plain[x[0] > -9]),
    ("a CPU row at CPU indices", "index",
     lambda x, m: _slice_set(x, torch.tensor([0]), torch.ones(1, 3))),
    ("a CPU row at a mask", "index", lambda x, m: _slice_set(x, x > -9, torch.ones(9))),
    ("numpy", "numpy", lambda x, m: x.detach().numpy()),
    ("numpy, not brought back", "numpy",
     lambda x, m: x + torch.from_numpy(x.detach().cpu().numpy())),
    ("is_cuda, the wrong way round", "asks", lambda x, m: x + (m.plain if x.is_cuda else m.buffer)),
    ("the plain attribute's device", "asks",
     lambda x, m: x + torch.ones(3, device=m.plain.device)),
]  # fmt: skip

PROGRAMS = tuple(
    Program(name, rule, runs, run)
    for runs, rows in ((True, _FINE), (False, _WRONG))
    for name, rule, run in rows
)
