# attn-kata: flash
from __future__ import annotations

import math

import torch
from torch import Tensor


@torch.no_grad()
def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    B, H, L, D = query.shape
    work = torch.float32 if query.element_size() < 4 else query.dtype

    # batch and heads are one axis for bmm; the scale goes into the queries once
    q = query.reshape(B * H, L, D).to(work) * (1.0 / math.sqrt(D))
    k = key.reshape(B * H, L, D).to(work)
    v = value.reshape(B * H, L, D).to(work)

    acc = torch.zeros(B * H, L, D, dtype=work, device=q.device)
    row_sum = torch.zeros(B * H, L, 1, dtype=work, device=q.device)
    row_max = torch.full((B * H, L, 1), -math.inf, dtype=work, device=q.device)

    for lo in range(0, L, block_size):
        hi = min(lo + block_size, L)
        top = lo if causal else 0  # rows above see nothing of this tile
        acc_t, sum_t, max_t = acc[:, top:], row_sum[:, top:], row_max[:, top:]

        s = torch.bmm(q[:, top:], k[:, lo:hi].transpose(1, 2))
        if causal:
            n = hi - lo
            ahead = torch.ones(n, n, dtype=torch.bool, device=q.device).triu_(1)
            s[:, :n].masked_fill_(ahead, -math.inf)

        new_max = torch.maximum(max_t, s.amax(dim=-1, keepdim=True))
        s.sub_(new_max).exp_()
        shrink = max_t.sub(new_max).exp_()
        sum_t.mul_(shrink).add_(s.sum(dim=-1, keepdim=True))
        acc_t.mul_(shrink)
        acc_t.baddbmm_(s, v[:, lo:hi])
        max_t.copy_(new_max)

    return acc.div_(row_sum).view(B, H, L, D).to(query.dtype)
