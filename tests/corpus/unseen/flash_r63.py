from __future__ import annotations

import torch
from torch import Tensor


def _tile(q: Tensor, k: Tensor, v: Tensor, hide: Tensor | None) -> tuple[Tensor, Tensor]:
    """Complete attention over one tile: its normalised output and its logsumexp."""
    s = q @ k.mT
    if hide is not None:
        s = s.masked_fill(hide, torch.finfo(s.dtype).min)
    lse = s.logsumexp(-1, keepdim=True)
    return (s - lse).exp() @ v, lse


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """Tiles on both sides; partial results are merged by their logsumexp."""
    acc = torch.float32 if query.dtype in (torch.float16, torch.bfloat16) else query.dtype
    n, d = query.shape[-2:]
    done = []
    for q0 in range(0, n, block_size):
        q = query[..., q0 : q0 + block_size, :].to(acc) * d**-0.5
        rows = torch.arange(q0, q0 + q.size(-2), device=q.device).unsqueeze(1)
        out = lse = None
        for k0 in range(0, n, block_size):
            if causal and k0 > q0 + q.size(-2) - 1:
                break
            k = key[..., k0 : k0 + block_size, :].to(acc)
            v = value[..., k0 : k0 + block_size, :].to(acc)
            hide = None
            if causal and k0 + k.size(-2) - 1 > q0:
                hide = torch.arange(k0, k0 + k.size(-2), device=q.device) > rows
            part, part_lse = _tile(q, k, v, hide)
            if out is None:
                out, lse = part, part_lse
            else:
                new = torch.logaddexp(lse, part_lse)
                out = out * (lse - new).exp() + part * (part_lse - new).exp()
                lse = new
        done.append(out.to(query.dtype))
    return torch.cat(done, dim=-2)
