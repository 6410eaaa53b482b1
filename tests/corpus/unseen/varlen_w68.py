from __future__ import annotations

from functools import reduce

import torch
from torch import Tensor

STEPS = {
    "scale": lambda s, d: s * d**-0.5,
    "causal": lambda s, d: s + torch.full_like(s, float("-inf")).triu(1),
    "softmax": lambda s, d: s.softmax(dim=-1),
}
PLANS = {False: ("scale", "softmax"), True: ("scale", "causal", "softmax")}


def cumulative_lengths(lengths: Tensor) -> Tensor:
    zero = torch.zeros(1, dtype=torch.int64, device=lengths.device)
    return torch.cat((zero, lengths.cumsum(0)))


def document_mask(lengths: Tensor, total: int) -> Tensor:
    cu = cumulative_lengths(lengths)
    places = torch.arange(total, device=lengths.device).unsqueeze(-1)
    member = (cu[:-1] <= places) & (places < cu[1:])
    return (member.unsqueeze(1) & member.unsqueeze(0)).any(dim=-1)


def mix(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    q, k, v = (t.movedim(1, 0) for t in (q, k, v))
    weights = reduce(lambda s, name: STEPS[name](s, q.shape[-1]), PLANS[causal], q @ k.mT)
    return (weights @ v).movedim(0, 1)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    cu = cumulative_lengths(lengths).tolist()
    begins = dict(zip(cu[1:], cu[:-1]))
    out = torch.zeros_like(query)
    for end, begin in begins.items():
        here = slice(begin, end)
        out[here] = mix(query[here], key[here], value[here], causal)
    return out
