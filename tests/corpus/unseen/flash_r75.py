"""Two nested loops as in the second paper, and log-sum-exps in place of (max, sum)."""
import math

import torch


@torch.no_grad()
def flash_attention(query, key, value, block_size, causal=False):
    length = query.shape[2]
    out = torch.empty_like(query)
    q_step = max(1, min(block_size, 64))
    for i in range(0, length, q_step):
        rows = slice(i, min(i + q_step, length))
        q = query[:, :, rows].to(torch.promote_types(query.dtype, torch.float32))
        mean, lse = torch.zeros_like(q), None
        stop = rows.stop if causal else length               # tiles wholly ahead are skipped
        j = 0
        while j < stop:
            cols = slice(j, min(j + block_size, stop))
            s = torch.einsum("bhqd,bhkd->bhqk", q, key[:, :, cols].to(q.dtype)) / math.sqrt(q.shape[-1])
            if causal and cols.stop - 1 > rows.start:
                r = torch.arange(rows.start, rows.stop, device=q.device)
                c = torch.arange(cols.start, cols.stop, device=q.device)
                s = s + torch.where(c[None] > r[:, None], -1e30, 0.0).to(s)
            tile_lse = s.logsumexp(-1, keepdim=True)
            tile = (s - tile_lse).exp() @ value[:, :, cols].to(q.dtype)
            if lse is None:
                mean, lse = tile, tile_lse
            else:
                both = torch.logaddexp(lse, tile_lse)
                mean = torch.lerp(mean, tile, (tile_lse - both).exp())
                lse = both
            j = cols.stop
        out[:, :, rows] = mean.to(out.dtype)
    return out
