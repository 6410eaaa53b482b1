import torch
from torch import Tensor


def _phase(positions: Tensor, dim: int, base: float) -> Tensor:
    i = torch.arange(dim // 2, device=positions.device, dtype=torch.float64)
    theta = torch.pow(torch.as_tensor(base, dtype=torch.float64, device=i.device), -2 * i / dim)
    angle = positions.to(torch.float64)[:, None] * theta
    return torch.polar(torch.ones_like(angle), angle)


def _turn(re: Tensor, im: Tensor, phase: Tensor):
    z = torch.complex(re.double(), im.double()) * phase
    return z.real, z.imag


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    a, b = x.tensor_split(2, dim=-1)
    parts = _turn(a, b, _phase(positions, x.size(-1), base))
    return torch.cat(parts, dim=-1).to(x.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    parts = _turn(a, b, _phase(positions, x.size(-1), base))
    return torch.stack(parts, dim=-1).flatten(-2).to(x.dtype)
