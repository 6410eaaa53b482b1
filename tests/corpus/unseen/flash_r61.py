"""Forward kernel, transcribed from the CUDA one: outer loop over query tiles (one thread block each),
inner loop over key tiles, accumulators in registers (here: fp32 tensors)."""
from __future__ import annotations

import math
from dataclasses import dataclass

import torch


@dataclass
class Registers:
    m: torch.Tensor     # (B, H, Br, 1)
    l: torch.Tensor     # (B, H, Br, 1)
    acc: torch.Tensor   # (B, H, Br, D)

    @classmethod
    def fresh(cls, q_tile: torch.Tensor) -> Registers:
        row = q_tile[..., :1]
        return cls(torch.full_like(row, -math.inf), torch.zeros_like(row), torch.zeros_like(q_tile))

    def absorb(self, s: torch.Tensor, v: torch.Tensor) -> None:
        m_new = torch.maximum(self.m, s.amax(dim=-1, keepdim=True))
        alpha = torch.exp(self.m - m_new)
        p = torch.exp(s - m_new)
        self.l.mul_(alpha).add_(p.sum(dim=-1, keepdim=True))
        self.acc.mul_(alpha).add_(p @ v)
        self.m = m_new


@torch.no_grad()
def flash_attention(query, key, value, block_size, causal=False):
    N, D = query.shape[-2:]
    wide = torch.promote_types(query.dtype, torch.float32)
    Br, Bc = min(N, max(block_size, 64)), min(block_size, N)
    out = torch.empty_like(query)

    for i0 in range(0, N, Br):
        i1 = min(i0 + Br, N)
        q = query[..., i0:i1, :].to(wide) * (1.0 / math.sqrt(D))
        regs = Registers.fresh(q)
        for j0 in range(0, i1 if causal else N, Bc):
            j1 = min(j0 + Bc, N)
            s = q @ key[..., j0:j1, :].to(wide).mT
            if causal and j1 - 1 > i0:
                rows = torch.arange(i0, i1, device=q.device)[:, None]
                cols = torch.arange(j0, j1, device=q.device)[None, :]
                s.masked_fill_(cols > rows, -math.inf)
            regs.absorb(s, value[..., j0:j1, :].to(wide))
        out[..., i0:i1, :] = (regs.acc / regs.l).to(out.dtype)
    return out
