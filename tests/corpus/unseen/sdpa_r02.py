# attn-kata: sdpa
from __future__ import annotations

import torch
from torch import Tensor

BLOCK_M = 64


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    B, H, M, D = query.shape
    N, DV = key.size(2), value.size(3)
    q = query.reshape(B * H, M, D)
    kt = key.reshape(B * H, N, D).transpose(1, 2)
    v = value.reshape(B * H, N, DV)
    view = None if mask is None else mask.expand(B, H, M, N)
    col = torch.arange(N, device=query.device)
    start = N - M
    scale = 1.0 / D ** 0.5
    tiles = []
    for m0 in range(0, M, BLOCK_M):
        m1 = min(m0 + BLOCK_M, M)
        n1 = start + m1 if causal else N
        s = torch.bmm(q[:, m0:m1], kt[:, :, :n1]).mul_(scale)
        if view is not None:
            block = view[:, :, m0:m1, :n1].reshape(B * H, m1 - m0, n1)
            s.masked_fill_(block == 0, float("-inf"))
        if causal:
            row = torch.arange(start + m0, start + m1, device=query.device)
            s.masked_fill_(col[:n1].unsqueeze(0) > row.unsqueeze(1), float("-inf"))
        tiles.append(torch.bmm(torch.softmax(s, dim=2), v[:, :n1]))
    return torch.cat(tiles, dim=1).view(B, H, M, DV)
