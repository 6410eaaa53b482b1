# chunks get an axis of their own: keys are padded and folded to (batch, heads, splits, chunk, d)
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def _partial(s: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """Scores with -inf where hidden, and values -> normalised output and log-sum-exp."""
    lse = s.logsumexp(dim=-1)
    anchor = lse.masked_fill(lse == -torch.inf, 0.0)
    w = torch.exp(s - anchor.unsqueeze(-1))
    return w.to(v.dtype) @ v, lse


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    s = (query @ key.mT) * query.shape[-1] ** -0.5
    return _partial(s.masked_fill(~seen[:, None, None, :], -torch.inf), value)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    total = torch.logsumexp(lses, dim=0)
    anchor = total.masked_fill(total == -torch.inf, 0.0)
    share = torch.exp(lses - anchor)
    return torch.einsum("sbhq,sbhqe->bhqe", share.to(outputs.dtype), outputs), total


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    n = key.shape[2]
    size = -(-n // splits)
    spare = size * splits - n
    k = F.pad(key, (0, 0, 0, spare)).unflatten(2, (splits, size))
    v = F.pad(value, (0, 0, 0, spare)).unflatten(2, (splits, size))
    place = torch.arange(splits * size, device=key.device)
    seen = (place < lengths.to(key.device)[:, None]).view(-1, 1, splits, 1, size)
    s = torch.einsum("bhqd,bhsnd->bhsqn", query, k) * query.shape[-1] ** -0.5
    outs, lses = _partial(s.masked_fill(~seen, -torch.inf), v)
    return merge(outs.movedim(2, 0), lses.movedim(2, 0))[0]
