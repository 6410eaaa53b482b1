import itertools
from typing import NamedTuple

import torch
import torch.nn.functional as F


def log_decay(gate):
    # log(sigmoid(g)^(1/16)), without sigmoid
    return -F.softplus(-gate) / 16


def gated_step(query, key, value, gate, state):
    fade = torch.exp(log_decay(gate))
    state = torch.einsum("bh,bhkv->bhkv", fade, state) + torch.einsum("bhk,bhv->bhkv", key, value)
    return torch.einsum("bhk,bhkv->bhv", query, state), state


def segment_sums(a):
    """(..., n) -> (..., n, n): the sum of a[j+1 ... i] at (i, j), -inf where j is after i."""
    n = a.shape[-1]
    rows = a.unsqueeze(-1).expand(*a.shape, n)
    ones = torch.ones(n, n, dtype=torch.bool, device=a.device)
    rows = rows.masked_fill(~ones.tril(-1), 0)
    return rows.cumsum(dim=-2).masked_fill(~ones.tril(), float("-inf"))


class Chunked(NamedTuple):
    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    a: torch.Tensor

    @classmethod
    def of(cls, q, k, v, a, size):
        # places that are filled up keep the state as it is (a = 0) and write nothing (k = 0)
        missing = -q.shape[2] % size
        q, k, v = (F.pad(t, (0, 0, 0, missing)).unflatten(2, (-1, size)) for t in (q, k, v))
        return cls(q, k, v, F.pad(a, (0, missing)).unflatten(2, (-1, size)))


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    length, dtype = query.shape[2], query.dtype
    wide = torch.promote_types(dtype, torch.float32)
    query, key, value, gate, state = (t.to(wide) for t in (query, key, value, gate, state))
    size = min(chunk_size, length)
    q, k, v, a = Chunked.of(query, key, value, log_decay(gate), size)

    sums = segment_sums(a)
    decay = sums.exp()                                   # b h n i j
    inside = torch.einsum("bhnid,bhnjd->bhnij", q, k) * decay @ v
    written = (k * decay[..., -1, :, None]).mT @ v       # b h n d e
    kept = a.sum(-1).exp()[..., None, None]

    states = list(itertools.accumulate(
        zip(kept.unbind(2), written.unbind(2)), lambda s, now: now[0] * s + now[1], initial=state
    ))
    found = torch.stack(states[:-1], dim=2)              # what each chunk finds
    before = a.cumsum(-1).exp().unsqueeze(-1) * (q @ found)
    output = (before + inside).flatten(2, 3)[:, :, :length]
    return output.to(dtype), states[-1].to(dtype)
