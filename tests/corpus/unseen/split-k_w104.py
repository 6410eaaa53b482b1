from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def _attend(q: Tensor, k: Tensor, v: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    """Any axes in front; seen already lies against (…, query, key)."""
    s = q @ k.mT * q.shape[-1] ** -0.5
    s = s.masked_fill(~seen, -torch.inf)
    lse = s.logsumexp(-1)
    p = torch.nan_to_num(s.softmax(-1))
    return p @ v, lse


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    return _attend(query, key, value, seen[:, None, None])


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    shares = torch.nan_to_num(lses.softmax(0))
    return (shares[..., None] * outputs).sum(0), lses.logsumexp(0)


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    """All chunks at once, on an axis in front."""
    n = key.shape[2]
    seen = torch.arange(n, device=key.device) < lengths[:, None]
    extra = -n % splits
    key, value = (F.pad(t, (0, 0, 0, extra)) for t in (key, value))
    seen = F.pad(seen, (0, extra), value=False)

    k, v = (t.unflatten(2, (-1, splits)).movedim(3, 0) for t in (key, value))
    see = seen.unflatten(1, (splits, -1)).movedim(1, 0)
    outputs, lses = _attend(query.unsqueeze(0), k, v, see[:, :, None, None])
    return merge(outputs, lses)[0]
