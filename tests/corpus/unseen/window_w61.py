import math

import torch

CHUNK = 64


def _one_chunk(q, k, v, rows, cols, window):
    scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.shape[-1])
    gap = rows.unsqueeze(1) - cols.unsqueeze(0)
    inside = (gap >= 0) & (gap < window)
    scores = scores.masked_fill(~inside, -math.inf)
    return torch.matmul(scores.softmax(dim=-1), v)


def window_attention(query, key, value, window):
    """Longformer's blocks: a chunk of queries against its own chunk of keys and the one before."""
    length = query.shape[2]
    acc = torch.promote_types(query.dtype, torch.float32)
    q, k, v = query.to(acc), key.to(acc), value.to(acc)
    where = torch.arange(length, device=query.device)

    pieces = []
    for begin in range(0, length, CHUNK):
        end = min(begin + CHUNK, length)
        left = max(0, begin - CHUNK)
        pieces.append(
            _one_chunk(
                q[:, :, begin:end], k[:, :, left:end], v[:, :, left:end],
                where[begin:end], where[left:end], window,
            )
        )
    return torch.cat(pieces, dim=2).to(query.dtype)
