from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn.functional import pad


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    out, lse = _chunks(query, key.unsqueeze(2), value.unsqueeze(2), seen.unsqueeze(1))
    return out[0], lse[0]


def _chunks(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    """All chunks at once: key (b, h, s, c, d), seen (b, s, c); chunks come out in front."""
    kind = query.dtype
    wide = torch.promote_types(kind, torch.float32)
    k, v = key.movedim(2, 0).to(wide), value.movedim(2, 0).to(wide)
    q = query.to(wide).expand(k.shape[0], -1, -1, -1, -1)
    s = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(query.shape[-1])
    hide = ~seen.permute(1, 0, 2)[:, :, None, None]
    low = torch.finfo(wide).min
    s = s.masked_fill(hide, low)
    top = s.max(-1, keepdim=True).values
    e = (s - top).exp().masked_fill(hide, 0)
    z = e.sum(-1)
    out = torch.matmul(e / z.clamp(min=1e-30)[..., None], v)
    lse = torch.where(z > 0, top[..., 0] + z.clamp(min=1e-30).log(), -math.inf)
    return out.to(kind), lse.to(kind)


def _two(a, b):
    (oa, la), (ob, lb) = a, b
    l = torch.logaddexp(la, lb)
    wa = torch.where(la == -math.inf, 0, torch.exp(la - l))[..., None]
    wb = torch.where(lb == -math.inf, 0, torch.exp(lb - l))[..., None]
    return oa * wa + ob * wb, l


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    """A tree of pairs."""
    parts = list(zip(outputs.unbind(0), lses.unbind(0)))
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return _two(merge(outputs[:half], lses[:half]), merge(outputs[half:], lses[half:]))


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    n = key.shape[2]
    fill = -n % splits
    k, v = (pad(t, (0, 0, 0, fill)).unflatten(2, (splits, -1)) for t in (key, value))
    seen = torch.arange(n + fill, device=key.device).lt(lengths[:, None]).unflatten(1, (splits, -1))
    return merge(*_chunks(query, k, v, seen))[0]
