from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pad


def _wide(t: Tensor) -> Tensor:
    return t if t.dtype == torch.float64 else t.float()


def _stable(scores: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """scores (..., q, k) with -inf where hidden, values (..., k, v)"""
    top = scores.amax(dim=-1, keepdim=True)
    top = torch.nan_to_num(top, neginf=0.0)
    e = torch.exp(scores - top)
    total = e.sum(dim=-1, keepdim=True)
    out = (e @ values) / total.clamp(min=torch.finfo(e.dtype).tiny)
    return out, (top + total.log()).squeeze(-1)


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    scores = _wide(query) @ _wide(key).mT / query.size(-1) ** 0.5
    hidden = seen.logical_not()
    out, lse = _stable(
        scores.masked_fill(hidden[:, None, None, :], float("-inf")),
        _wide(value).masked_fill(hidden[:, None, :, None], 0.0),
    )
    return out.to(value.dtype), lse


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    # the same again, with chunks for keys: their scores are the lses, their values the outputs
    scores = _wide(lses).movedim(0, -1).unsqueeze(-2)                 # b h q 1 s
    values = _wide(outputs).movedim(0, -2)                            # b h q s v
    out, lse = _stable(scores, values)
    return out.squeeze(-2).to(outputs.dtype), lse.squeeze(-1)


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    batch, heads, n, _ = key.shape
    size = -(-n // splits)
    spare = size * splits - n

    def in_chunks(t: Tensor) -> Tensor:                               # -> s*b, h, size, width
        t = pad(_wide(t), (0, 0, 0, spare)).unflatten(2, (splits, size))
        return t.movedim(2, 0).flatten(0, 1)

    seen = torch.arange(size * splits, device=key.device) < lengths.to(key.device)[:, None]
    seen = seen.unflatten(1, (splits, size)).transpose(0, 1).flatten(0, 1)
    queries = _wide(query).repeat(splits, 1, 1, 1)
    outputs, lses = chunk_attention(queries, in_chunks(key), in_chunks(value), seen)
    merged, _ = merge(outputs.unflatten(0, (splits, batch)), lses.unflatten(0, (splits, batch)))
    return merged.to(value.dtype)
