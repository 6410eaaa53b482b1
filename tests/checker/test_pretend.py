"""Small device programs, each with the answer that a real GPU gives."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from attn_kata.checker.pretend import Mixed, PretendedGPU
from torch import Tensor, nn

Program = Callable[[Tensor, "Keeper"], object]


class Keeper(nn.Module):
    """A module with a parameter, a buffer and a tensor that `.to()` leaves behind."""

    buffer: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3, 3))
        self.register_buffer("buffer", torch.ones(3, 3))
        self.plain = torch.ones(3, 3)


FINE: dict[str, Program] = {
    "parameter": lambda x, m: x @ m.weight,
    "buffer": lambda x, m: x + m.buffer,
    "factory on the input's device": lambda x, m: x + torch.ones(3, 3, device=x.device),
    "factory by name": lambda x, m: x + torch.zeros(3, device="cuda"),
    "like": lambda x, m: x + torch.ones_like(x),
    "new_ones": lambda x, m: x + x.new_ones(3),
    "new_zeros": lambda x, m: x * x.new_zeros(3, 3),
    "to": lambda x, m: x + torch.ones(3).to(x.device),
    "to another tensor": lambda x, m: x + torch.ones(3).to(x),
    "cuda()": lambda x, m: x + torch.ones(3).cuda(),
    "type_as": lambda x, m: x + torch.ones(3).type_as(x),
    "plain attribute moved": lambda x, m: x + m.plain.to(x.device),
    "python number": lambda x, m: x / 2.0,
    "cpu scalar": lambda x, m: x / torch.tensor(2.0),
    "cpu scalar first": lambda x, m: torch.tensor(2.0) * x,
    "sqrt of a cpu scalar": lambda x, m: x / torch.sqrt(torch.tensor(9.0)),
    "cpu indices": lambda x, m: x[torch.tensor([0, 1])],
    "cpu bool mask as index": lambda x, m: x[torch.tensor([True, False, True])],
    "slices": lambda x, m: x[:2] + m.buffer[:2],
    "views": lambda x, m: x.view(9).reshape(3, 3).transpose(0, 1).contiguous() @ m.weight,
    "chunk": lambda x, m: x.chunk(3)[0] + m.buffer,
    "triangle on device": lambda x, m: torch.tril(torch.ones(3, 3, device=x.device)) * x,
    "masked_fill": lambda x, m: x.masked_fill(m.buffer == 0, float("-inf")),
    "where": lambda x, m: torch.where(m.buffer > 0, x, torch.zeros_like(x)),
    "where with cpu scalar": lambda x, m: torch.where(x > 0, x, torch.tensor(0.0)),
    "arange compare": lambda x, m: x * (torch.arange(3, device=x.device) < 2),
    "cat": lambda x, m: torch.cat([x, m.buffer]),
    "stack": lambda x, m: torch.stack([x, x * 2]),
    "einsum": lambda x, m: torch.einsum("ij,jk->ik", x, m.weight),
    "softmax": lambda x, m: x.softmax(-1) @ m.weight,
    "item": lambda x, m: x * m.buffer.sum().item(),
    "copy to cpu alone": lambda x, m: x.cpu() + torch.ones(3),
    "numpy after cpu": lambda x, m: x.detach().cpu().numpy(),
    "copy across": lambda x, m: torch.empty_like(x).copy_(torch.ones(3, 3)),
    "set a slice from the cpu": lambda x, m: x.clone().__setitem__(0, torch.ones(3)),
    "in place": lambda x, m: x.clone().add_(m.buffer),
    "expand": lambda x, m: m.buffer[:1].expand(3, 3) + x,
}

WRONG: dict[str, Program] = {
    "factory": lambda x, m: x + torch.ones(3),
    "matmul": lambda x, m: x @ torch.ones(3, 3),
    "plain attribute": lambda x, m: x + m.plain,
    "slice of a plain attribute": lambda x, m: x[:2] + m.plain[:2],
    "transposed plain attribute": lambda x, m: x @ m.plain.T,
    "triangle": lambda x, m: x * torch.tril(torch.ones(3, 3)),
    "masked_fill": lambda x, m: x.masked_fill(torch.ones(3, 3) == 0, 0.0),
    "masked_fill with a plain mask": lambda x, m: x.masked_fill(m.plain == 0, 0.0),
    "where": lambda x, m: torch.where(torch.ones(3, 3) > 0, x, torch.zeros_like(x)),
    "where, other branch": lambda x, m: torch.where(x > 0, x, torch.zeros(3)),
    "cat": lambda x, m: torch.cat([x, torch.ones(1, 3)]),
    "stack": lambda x, m: torch.stack([x, torch.ones(3, 3)]),
    "arange": lambda x, m: x * (torch.arange(3) < 2),
    "tensor constant": lambda x, m: x + torch.tensor([1.0, 2.0, 3.0]),
    "from a list": lambda x, m: x + torch.as_tensor([1.0, 2.0, 3.0]),
    "eye": lambda x, m: x @ torch.eye(3),
    "full": lambda x, m: x + torch.full((3, 3), float("-inf")),
    "rand": lambda x, m: x * torch.rand(3, 3),
    "explicit cpu": lambda x, m: x + torch.ones(3, device="cpu"),
    "moved to the cpu": lambda x, m: x.cpu() + m.buffer,
    "to('cpu')": lambda x, m: x.to("cpu") @ m.weight,
    "einsum": lambda x, m: torch.einsum("ij,jk->ik", x, torch.ones(3, 3)),
    "linear": lambda x, m: nn.functional.linear(x, torch.ones(3, 3)),
    "in place": lambda x, m: x.clone().add_(torch.ones(3, 3)),
    "in place multiplication": lambda x, m: x.clone().mul_(m.plain),
    "cuda index on a cpu tensor and back": lambda x, m: x + m.plain[:1].expand(3, 3),
    "like of a cpu tensor": lambda x, m: x + torch.ones_like(m.plain),
    "arithmetic on the way": lambda x, m: x + (torch.ones(3) * 2 - 1),
}


def run(program: Program) -> None:
    """Run a program on the pretended GPU."""
    module = Keeper()
    x = torch.randn(3, 3)
    gpu = PretendedGPU(__file__)
    gpu.place(module, [x])
    with gpu, torch.no_grad():
        program(x, module)


@pytest.mark.parametrize("program", FINE.values(), ids=FINE)
def test_fine(program: Program) -> None:
    """What a GPU runs, the pretended one runs."""
    run(program)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_wrong(program: Program) -> None:
    """Two devices in one operation raise torch's own words."""
    with pytest.raises(Mixed, match="found at least two devices, cuda:0 and cpu!"):
        run(program)


def test_numpy_of_a_cuda_tensor() -> None:
    """A CUDA tensor has no numpy view."""
    with pytest.raises(TypeError, match="can't convert cuda:0"):
        run(lambda x, m: x.numpy())


def test_device_questions() -> None:
    """`.device` and `.is_cuda` answer for the pretended device."""
    seen: list[object] = []
    run(lambda x, m: seen.extend([x.device, x.is_cuda, m.plain.device, m.plain.is_cuda]))
    assert seen == [torch.device("cuda:0"), True, torch.device("cpu"), False]
