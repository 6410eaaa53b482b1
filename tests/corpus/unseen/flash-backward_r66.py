# attn-kata: flash-backward
# Two-level tiling: outer loop over key tiles (they own dK, dV), inner loop over query tiles.
from __future__ import annotations

import torch
from torch import Tensor


def _ranges(n: int, step: int) -> list[tuple[int, int]]:
    return [(lo, min(lo + step, n)) for lo in range(0, n, step)]


@torch.no_grad()
def flash_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    lse: Tensor,
    grad_output: Tensor,
    block_size: int,
    causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    length, head_dim = query.shape[2:]
    acc = torch.float64 if query.dtype == torch.float64 else torch.float32
    scale = head_dim**-0.5

    q, k, v, do = (x.to(acc) for x in (query, key, value, grad_output))
    stat = lse.to(acc).unsqueeze(-1)
    delta = (output.to(acc) * do).sum(dim=-1, keepdim=True)

    dq, dk, dv = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    tiles = _ranges(length, block_size)
    for c0, c1 in tiles:
        kj, vj = k[:, :, c0:c1], v[:, :, c0:c1]
        for r0, r1 in tiles:
            if causal and r1 <= c0:
                continue
            s = (q[:, :, r0:r1] @ kj.transpose(-1, -2)) * scale
            if causal and c1 - 1 > r0:
                row = torch.arange(r0, r1, device=s.device)[:, None]
                col = torch.arange(c0, c1, device=s.device)[None, :]
                s.masked_fill_(col > row, float("-inf"))
            p = torch.exp(s - stat[:, :, r0:r1])
            doi = do[:, :, r0:r1]
            dv[:, :, c0:c1] += p.transpose(-1, -2) @ doi
            ds = p * (doi @ vj.transpose(-1, -2) - delta[:, :, r0:r1]) * scale
            dq[:, :, r0:r1] += ds @ kj
            dk[:, :, c0:c1] += ds.transpose(-1, -2) @ q[:, :, r0:r1]
    return dq.to(query.dtype), dk.to(key.dtype), dv.to(value.dtype)
