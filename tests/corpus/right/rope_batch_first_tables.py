# right: rope
import torch
from torch import Tensor


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """Move length in front of heads, turn, and move it back."""
    x_bthd = x.transpose(1, 2)
    dims = x.shape[-1]
    exponent = torch.linspace(0, 1, dims // 2 + 1, dtype=torch.float32)[:-1].to(x.device)
    angle = (positions.to(torch.float32).reshape(-1, 1, 1) / (base ** exponent))  # (T, 1, P)
    first, second = x_bthd[..., ::2].float(), x_bthd[..., 1::2].float()
    turned = torch.empty(x_bthd.shape, dtype=torch.float32, device=x.device)
    turned[..., ::2] = first * angle.cos() - second * angle.sin()
    turned[..., 1::2] = first * angle.sin() + second * angle.cos()
    return turned.transpose(1, 2).to(x.dtype)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    weave = x.unflatten(-1, (2, -1)).transpose(-1, -2).flatten(-2)
    turned = rope_interleaved(weave, positions, base)
    return turned.unflatten(-1, (-1, 2)).transpose(-1, -2).flatten(-2)
