# attn-kata: rope
import torch
from torch import Tensor


class Table:
    def __init__(self, positions: Tensor, head_dim: int, base: float) -> None:
        half = head_dim // 2
        exponent = torch.arange(half, dtype=torch.float32, device=positions.device) / head_dim
        inv_freq = torch.as_tensor(base, dtype=torch.float32, device=positions.device).pow(-exponent)
        angle = torch.einsum("l,i->li", positions.float(), inv_freq)
        self.cos, self.sin = angle.cos(), angle.sin()

    def rotate(self, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        c, s = self.cos.to(a.dtype), self.sin.to(a.dtype)
        return a * c - b * s, b * c + a * s


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    half = x.shape[-1] // 2
    table = Table(positions, x.shape[-1], base)
    return torch.cat(table.rotate(x[..., :half], x[..., half:]), dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    table = Table(positions, x.shape[-1], base)
    pair = table.rotate(x[..., 0::2], x[..., 1::2])
    return torch.stack(pair, dim=-1).flatten(-2)
