import torch
from torch import Tensor


def rotation_matrices(positions: Tensor, dim: int, base: float, dtype: torch.dtype) -> Tensor:
    """(length, dim/2, 2, 2)"""
    i = torch.arange(dim // 2, device=positions.device)
    theta = positions.to(torch.float64)[:, None] / float(base) ** (2.0 * i.double() / dim)
    c, s = theta.cos(), theta.sin()
    return torch.stack([c, -s, s, c], dim=-1).unflatten(-1, (2, 2)).to(dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    dtype = torch.promote_types(x.dtype, torch.float32)
    m = rotation_matrices(positions, x.size(-1), base, dtype)
    pairs = x.to(dtype).reshape(*x.shape[:-1], -1, 2, 1)
    return torch.matmul(m, pairs).reshape(x.shape).to(x.dtype)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    """Bring the partners side by side, rotate, and put every number back where it was."""
    d = x.size(-1)
    there = torch.arange(d, device=x.device).view(2, d // 2).T.reshape(-1)  # 0 h 1 h+1 2 h+2 ...
    back = torch.argsort(there)
    return rope_interleaved(x[..., there], positions, base)[..., back]


if __name__ == "__main__":
    x = torch.randn(1, 2, 3, 8)
    assert torch.allclose(rope_half_split(x, torch.zeros(3).long()), x)
    for f in (rope_half_split, rope_interleaved):
        print(f.__name__, f(x, torch.arange(4000, 4003)).norm() / x.norm())
