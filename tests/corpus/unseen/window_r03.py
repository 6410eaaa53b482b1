import torch
import torch.nn.functional as F


def window_attention(query, key, value, window):
    """Banded gather: every query gets its own little stack of `span` keys."""
    b, h, n, d = query.shape
    span = min(int(window), n)

    # put span-1 dummies in front, so that slot s of query i is key i - span + 1 + s
    k = F.pad(key, (0, 0, span - 1, 0)).unfold(2, span, 1)      # b h n d span
    v = F.pad(value, (0, 0, span - 1, 0)).unfold(2, span, 1)    # b h n d span

    s = torch.einsum("bhnd,bhndw->bhnw", query, k) / d ** 0.5
    slot = torch.arange(n, device=query.device)[:, None] - (span - 1) + torch.arange(span, device=query.device)
    s = s.masked_fill(slot < 0, float("-inf"))
    return torch.einsum("bhnw,bhndw->bhnd", s.softmax(-1), v)
