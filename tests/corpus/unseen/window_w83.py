import math
import torch
import torch.nn.functional as F


def window_attention(query, key, value, window):
    """Every query against its own `window` keys: (b, h, n, window) scores instead of (b, h, n, n)."""
    window = min(window, key.shape[2])
    # pad on the left, so that the first queries have a full window too
    k = F.pad(key, (0, 0, window - 1, 0))
    v = F.pad(value, (0, 0, window - 1, 0))
    k = k.unfold(2, window, 1)  # (b, h, n, d, window)
    v = v.unfold(2, window, 1)

    scores = torch.einsum("bhnd,bhndw->bhnw", query, k) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(scores == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("bhnw,bhndw->bhnd", weights, v)
