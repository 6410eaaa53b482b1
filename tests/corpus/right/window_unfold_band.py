# right: window
"""Only the band is ever made: (batch, heads, length, window)."""
import torch
import torch.nn.functional as F


def window_attention(query, key, value, window):
    length, dim = query.shape[-2:]
    window = min(window, length)
    keys = F.pad(key, (0, 0, window - 1, 0)).unfold(2, window, 1)
    values = F.pad(value, (0, 0, window - 1, 0)).unfold(2, window, 1)
    scores = (query.unsqueeze(-2) @ keys).squeeze(-2) / dim**0.5
    # in row i the first window - 1 - i columns are padding
    real = torch.arange(length, device=query.device)[:, None] + torch.arange(
        window, device=query.device
    )
    scores = scores.masked_fill(real < window - 1, float("-inf"))
    weights = scores.softmax(dim=-1)
    return (values * weights.unsqueeze(-2)).sum(-1)
