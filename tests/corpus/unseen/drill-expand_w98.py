import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    b, t, d = key.shape
    return key.unsqueeze(1).expand(b, heads, t, d)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    # (batch, heads, length, head_dim), each head with its own copy
    out = share_keys(key, heads).clone()
    out[:, head] = 0
    return out


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    return torch.repeat_interleave(key, repeats, dim=1)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes.view(1, -1, 1, 1)


def distances(positions: Tensor) -> Tensor:
    """ALiBi style: how far key j lies from query i."""
    p = positions - positions[0]
    n = p.numel()
    i = torch.arange(n, device=p.device)
    step = p[1] - p[0] if n > 1 else 1
    return (i[None, :] - i[:, None]) * step
