import math
import torch


def window_attention(query, key, value, window):
    """Block by block (Longformer's chunks): a block of `window` queries reads itself and the keys before it."""
    batch, heads, length, head_dim = query.shape
    scale = 1 / math.sqrt(head_dim)
    pieces = []
    for start in range(0, length, window):
        stop = min(start + window, length)
        first = max(0, start - window + 1)

        q = query[:, :, start:stop] * scale
        k = key[:, :, first:stop]
        v = value[:, :, first:stop]
        scores = q @ k.transpose(-1, -2)

        rows = torch.arange(start, stop, device=query.device).unsqueeze(1)
        cols = torch.arange(first, stop, device=query.device).unsqueeze(0)
        hidden = cols > rows
        scores = scores.masked_fill(hidden, float('-inf'))

        pieces.append(scores.softmax(dim=-1) @ v)
    return torch.cat(pieces, dim=2)
