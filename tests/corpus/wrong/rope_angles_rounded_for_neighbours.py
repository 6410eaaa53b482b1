# wrong: rope rope-low-precision line 20
from __future__ import annotations

import torch
from torch import Tensor


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    d = x.shape[-1]
    exponent = torch.arange(0, d, 2, dtype=torch.float32, device=x.device) / d
    freqs = torch.einsum("t,i->ti", positions.float(), base**-exponent)
    emb = torch.cat([freqs, freqs], dim=-1)
    turned = torch.cat([-x[..., d // 2 :], x[..., : d // 2]], dim=-1)
    return x * emb.cos().to(x.dtype) + turned * emb.sin().to(x.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    d = x.shape[-1]
    exponent = torch.arange(0, d, 2, dtype=torch.float32, device=x.device) / d
    freqs = torch.einsum("t,i->ti", positions.float(), base**-exponent).to(x.dtype)
    emb = freqs.repeat_interleave(2, dim=-1)
    turned = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * emb.cos().to(x.dtype) + turned * emb.sin().to(x.dtype)
