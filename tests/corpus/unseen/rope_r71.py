import torch
from torch import Tensor


def _index(head_dim: int, device) -> Tensor:
    """Where the interleaved order finds its entries in the half-split one: 0 h 1 h+1 2 h+2 ..."""
    return torch.arange(head_dim, device=device).view(2, -1).t().reshape(-1)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    half = x.shape[-1] >> 1
    wide = torch.promote_types(x.dtype, torch.float32)
    i = torch.arange(half, device=x.device, dtype=wide)
    w = torch.pow(torch.as_tensor(base, dtype=wide, device=x.device), i.mul(-2).div(x.shape[-1]))
    phase = positions.to(wide).view(-1, 1).mul(w)
    lo, hi = x.narrow(-1, 0, half).to(wide), x.narrow(-1, half, half).to(wide)
    out = x.new_empty(x.shape, dtype=wide)
    out[..., :half] = torch.addcmul(lo * phase.cos(), hi, phase.sin(), value=-1)
    out[..., half:] = torch.addcmul(hi * phase.cos(), lo, phase.sin())
    return out.to(x.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    order = _index(x.shape[-1], x.device)
    inverse = torch.argsort(order)
    # un-shuffle, rotate as halves, shuffle back
    return rope_half_split(x.index_select(-1, inverse), positions, base).index_select(-1, order)
