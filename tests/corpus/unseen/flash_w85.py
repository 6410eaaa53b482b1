import math

import torch
from torch import Tensor

QUERY_TILE = 32


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    length, head_dim = query.shape[-2:]
    scale = 1.0 / math.sqrt(head_dim)
    output = torch.empty_like(query)
    for q0 in range(0, length, QUERY_TILE):
        q1 = min(q0 + QUERY_TILE, length)
        q = query[:, :, q0:q1] * scale
        top = q.new_full((*q.shape[:-1], 1), -math.inf)
        total = torch.zeros_like(top)
        acc = torch.zeros_like(q)
        for k0 in range(0, length, block_size):
            k1 = min(k0 + block_size, length)
            if causal and k0 > 0 and k1 > q1:
                break  # the tile lies ahead of all queries
            s = q @ key[:, :, k0:k1].transpose(-2, -1)
            if causal:
                rows = torch.arange(q0, q1, device=q.device)[:, None]
                cols = torch.arange(k0, k1, device=q.device)[None, :]
                s = s.masked_fill(cols > rows, -math.inf)
            new_top = torch.maximum(top, s.amax(dim=-1, keepdim=True))
            shrink = torch.exp(top - new_top)
            p = torch.exp(s - new_top)
            total = total * shrink + p.sum(dim=-1, keepdim=True)
            acc = acc * shrink + p @ value[:, :, k0:k1]
            top = new_top
        output[:, :, q0:q1] = acc / total
    return output
