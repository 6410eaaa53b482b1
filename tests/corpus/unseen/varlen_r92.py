from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor


class Opts(NamedTuple):
    causal: bool = False
    dtype: torch.dtype = torch.float32


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return F.pad(lengths.long().cumsum(dim=0), pad=(1, 0))


def document_mask(lengths: Tensor, total: int) -> Tensor:
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    for begin, end in pairwise(cumulative_lengths(lengths).tolist()):
        mask[begin:end, begin:end] = True
    return mask


def _one_head(q: Tensor, k: Tensor, v: Tensor, opts: Opts) -> Tensor:
    """(n, head_dim) each."""
    s = (q @ k.T).div(q.shape[1] ** 0.5)
    if opts.causal:
        s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).triu(1), -torch.inf)
    return s.softmax(dim=1) @ v


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    opts = Opts(causal, torch.promote_types(query.dtype, Opts._field_defaults["dtype"]))
    sizes = lengths.tolist()
    used = sum(sizes)
    heads = []
    for triple in zip(query.unbind(1), key.unbind(1), value.unbind(1)):
        docs = zip(*(t[:used].to(opts.dtype).split(sizes) for t in triple))
        rows = torch.cat([_one_head(*doc, opts) for doc in docs])
        heads.append(F.pad(rows, (0, 0, 0, len(query) - used)))
    return torch.stack(heads, dim=1).to(query.dtype)
