"""The pretended GPU answers as a real one would, by torch's documented rules."""

from __future__ import annotations

import pytest
import torch
from attn_kata.checker.candidate.pretended_gpu import HOME, Mixed, PretendedGPU
from attn_kata.dev.device_programs import PROGRAMS, RULES, Keeper
from attn_kata.dev.devices import fake, pretended, real
from torch import nn

# What torch's fake tensors allow and its kernels refuse: a CPU scalar joins anything there.
FAKE_IS_LAX = {
    "stack of scalars", "clamp by a CPU scalar", "masked_fill by a CPU scalar mask",
}  # fmt: skip


# What a GPU says of each program, by its rule.
EXPECTED = {program.name: "runs" if program.runs else "refuses" for program in PROGRAMS}


def test_programs() -> None:
    """What a GPU runs, the pretended one runs; what it refuses, that refuses."""
    assert {program.name: pretended(program) for program in PROGRAMS} == EXPECTED


@pytest.mark.slow
def test_fake_tensors_agree() -> None:
    """Where torch's own fake tensors have an opinion, it is the same, but for scalars."""
    said = {program.name: fake(program) for program in PROGRAMS}
    told = {name: answer for name, answer in said.items() if answer != "–" or name in FAKE_IS_LAX}
    assert told == {name: EXPECTED[name] for name in told} | dict.fromkeys(FAKE_IS_LAX, "runs")


@pytest.mark.cuda
def test_a_gpu_agrees() -> None:
    """A real GPU gives the answers that were taken from torch's rules."""
    assert {program.name: real(program) for program in PROGRAMS} == EXPECTED


def test_the_list_is_long_and_told_apart() -> None:
    """There are 90 programs and more, right and wrong, of every rule, none named twice."""
    assert len(PROGRAMS) >= 90
    assert len({program.name for program in PROGRAMS}) == len(PROGRAMS)
    assert {program.rule for program in PROGRAMS} == set(RULES)
    assert {program.runs for program in PROGRAMS} == {True, False}


def on_gpu(path: str = __file__) -> tuple[PretendedGPU, Keeper, torch.Tensor]:
    """A pretended GPU with a module and an input on it."""
    gpu, module, x = PretendedGPU(path), Keeper(), torch.randn(3, 3)
    gpu.place(module, [x])
    return gpu, module, x


def test_the_words_are_torchs_own() -> None:
    """Two devices in one operation are named as torch names them."""
    gpu, module, x = on_gpu()
    words = "Expected all tensors to be on the same device, but found at least two devices"
    with gpu, pytest.raises(Mixed, match=f"{words}, cuda:0 and cpu!"):
        torch.add(x, module.plain)
    words = (
        "expected self and mask to be on the same device, but got mask on cpu and self on cuda:0"
    )
    with gpu, pytest.raises(Mixed, match=words):
        x.masked_fill(module.plain > 0, 0.0)
    with gpu, pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
        x.numpy()


def test_a_stray_tensor_is_followed_to_where_it_was_made() -> None:
    """The line is the factory's, and the name the attribute's, however far from the sum."""
    gpu, module, x = on_gpu()
    with gpu:
        mask = torch.ones(3, 3)
        late = (mask.T[:2] * 2).exp()
    with gpu, pytest.raises(Mixed) as caught:
        torch.add(x[:2], late)
    kind, name, line = caught.value.origin
    assert (kind, name) == ("made", "ones")
    assert line == test_a_stray_tensor_is_followed_to_where_it_was_made.__code__.co_firstlineno + 4
    with gpu, pytest.raises(Mixed) as caught:
        torch.add(x, module.kept[0].view(9).view(3, 3))
    assert caught.value.origin[:2] == ("mask", "kept")


def test_device_questions() -> None:
    """`.device` and its kin answer for the pretended device."""
    gpu, module, x = on_gpu()
    with gpu:
        assert (x.device, x.is_cuda, x.is_cpu, x.get_device()) == (HOME, True, False, 0)
        plain = module.plain
        assert (plain.device, plain.is_cuda, plain.is_cpu) == (torch.device("cpu"), False, True)
        assert plain.get_device() == -1
        assert x.type() == "torch.cuda.FloatTensor"
        assert x.cpu().type() == "torch.FloatTensor"


def test_an_output_left_on_the_cpu() -> None:
    """An output belongs on the inputs' device; one that nobody knows of is let be."""
    gpu, module, x = on_gpu()
    with gpu:
        here, away = x @ module.weight, x.cpu()
    gpu.brought_home(here)
    gpu.brought_home(torch.ones(3))
    with pytest.raises(Mixed, match="the output is on cpu, the input on cuda:0"):
        gpu.brought_home(away)


def test_what_a_module_makes_on_its_device_stays_there() -> None:
    """A constructor that is told the device makes even plain attributes on it."""

    class Told(nn.Module):
        def __init__(self, device: torch.device) -> None:
            super().__init__()
            self.there = torch.ones(3, device=device)
            self.here = torch.ones(3)

    gpu, x = PretendedGPU(__file__), torch.ones(3)
    with gpu:
        module = Told(HOME)
    gpu.place(module, [x])
    with gpu:
        torch.add(x, module.there)
        with pytest.raises(Mixed):
            torch.add(x, module.here)


@pytest.mark.parametrize("move", ["layer.to('cuda')", "layer.cuda()", "layer.weight.data = x"])
def test_a_module_that_moves_itself(move: str) -> None:
    """A constructor may move what it made: that is where it is then."""
    gpu = PretendedGPU(__file__)
    with gpu:
        layer, x = torch.nn.Linear(3, 3, bias=False), torch.ones(3, 3, device="cuda")
        exec(move, {"layer": layer, "x": x})
        assert layer.weight.device == HOME
        assert layer(x).device == HOME


def test_inside_vmap() -> None:
    """Tensors that vmap wraps are where what they wrap is."""
    gpu, module, x = on_gpu()
    with gpu:
        torch.vmap(lambda row: row @ module.weight + row.new_ones(3))(x)
        with pytest.raises(Mixed):
            torch.vmap(lambda row: row + module.plain[0])(x)
