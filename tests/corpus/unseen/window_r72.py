import torch
import torch.nn.functional as F


def window_attention(query, key, value, window):
    """Keys come as a strided band: (b, h, t, w, d), nothing is t x t."""
    b, h, t, d = query.shape
    w = min(window, t)
    # w - 1 leere Plätze links
    K = F.pad(key, (0, 0, w - 1, 0)).unfold(2, w, 1)          # b h t d w
    V = F.pad(value, (0, 0, w - 1, 0)).unfold(2, w, 1)
    s = (query.unsqueeze(-2) @ K).squeeze(-2).div(d ** 0.5)   # b h t w
    slot = torch.arange(w, device=query.device)
    real = slot >= (w - 1 - torch.arange(t, device=query.device)).unsqueeze(-1)
    p = s.masked_fill(~real, float("-inf")).softmax(-1)
    return (V @ p.unsqueeze(-1)).squeeze(-1)
