# right: paged
from math import sqrt

import torch
from torch import Tensor


def _gather(pool: Tensor, row: Tensor, length: int) -> Tensor:
    """Concatenate the blocks of one sequence, heads first: (kv_heads, length, head_dim)."""
    pieces = [pool[int(block)] for block in row]
    return torch.cat(pieces, dim=0)[:length].movedim(1, 0)


def _attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    copies = q.shape[0] // k.shape[0]
    k = k[:, None].expand(-1, copies, -1, -1).reshape(q.shape[0], -1, k.shape[-1])
    v = v[:, None].expand(-1, copies, -1, -1).reshape(q.shape[0], -1, v.shape[-1])
    scores = torch.bmm(k, q.unsqueeze(-1)).squeeze(-1) / sqrt(q.shape[-1])
    scores = scores - scores.amax(dim=1, keepdim=True)
    weights = scores.exp()
    weights = weights / weights.sum(dim=1, keepdim=True)
    return torch.bmm(weights.unsqueeze(1), v).squeeze(1)


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    return torch.stack(
        [
            _attend(q, _gather(key_pool, row, n), _gather(value_pool, row, n))
            for q, row, n in zip(query, block_table, lengths.tolist())
        ]
    )
