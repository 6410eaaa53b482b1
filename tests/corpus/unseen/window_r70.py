from __future__ import annotations

from typing import Callable

import torch
from torch import Tensor
from torch.func import vmap

MaskMod = Callable[[Tensor, Tensor], Tensor]


def causal(q: Tensor, k: Tensor) -> Tensor:
    return q >= k


def within(n: int) -> MaskMod:
    return lambda q, k: q - k < n


def both(*mods: MaskMod) -> MaskMod:
    def combined(q: Tensor, k: Tensor) -> Tensor:
        out = mods[0](q, k)
        for m in mods[1:]:
            out = out & m(q, k)
        return out

    return combined


def materialise(mod: MaskMod, t: int, device: torch.device) -> Tensor:
    at = torch.arange(t, device=device)
    return vmap(vmap(mod, in_dims=(None, 0)), in_dims=(0, None))(at, at)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    keep = materialise(both(causal, within(window)), query.size(-2), query.device)
    bias = torch.zeros_like(keep, dtype=query.dtype).masked_fill(~keep, torch.finfo(query.dtype).min)
    logits = torch.matmul(query.mul(query.size(-1) ** -0.5), key.mT)
    logits = torch.maximum(logits + bias, torch.full_like(logits, torch.finfo(query.dtype).min))
    log_p = logits - logits.logsumexp(-1, keepdim=True)
    return log_p.exp() @ value
