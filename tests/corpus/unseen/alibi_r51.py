from __future__ import annotations

import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    floor = 1 << (heads.bit_length() - 1)
    exponents = torch.arange(1, floor + 1, dtype=torch.float64) * 8 / floor
    missing = heads - floor
    if missing:
        # the odd multiples of 8 / (2 * floor) are every other slope of the next power
        odd = torch.arange(1, 2 * missing, 2, dtype=torch.float64)
        exponents = torch.cat((exponents, odd * 4 / floor))
    return torch.exp2(-exponents)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    whole = torch.ones(key_length, key_length, dtype=torch.float64)
    # counts the keys from j up to i: 0 above the diagonal, 1 on it
    steps = whole.tril().flip(-1).cumsum(-1).flip(-1)[key_length - query_length :]
    penalty = torch.einsum("h,qk->hqk", slopes(heads), 1 - steps)
    return torch.where(steps > 0, penalty, float("-inf"))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    added = bias(query.shape[1], query.shape[2], key.shape[2]).to(query.device, wide)
    logits = torch.einsum("bhqd,bhkd->bhqk", query.to(wide), key.to(wide))
    logits = torch.add(added, logits, alpha=query.shape[-1] ** -0.5)
    share = (logits - logits.amax(-1, keepdim=True)).exp()
    share = share / share.sum(-1, keepdim=True)
    return torch.einsum("bhqk,bhkv->bhqv", share, value.to(wide)).to(value.dtype)
