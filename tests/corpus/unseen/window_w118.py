import torch
import torch.nn.functional as F


def window_attention(query, key, value, window):
    B, H, T, hs = query.shape
    W = min(window, T)

    # where each query looks: itself, then one back, two back, ...
    idx = torch.arange(T, device=query.device)[:, None] - torch.arange(W, device=query.device)
    k = key[:, :, idx.clamp(min=0)]  # (B, H, T, W, hs)

    # the same for the values, as a view: (B, H, T, W, hs)
    v = F.pad(value, (0, 0, W - 1, 0)).unfold(2, W, 1).transpose(-1, -2)

    att = (query.unsqueeze(-2) * k).sum(-1) / hs**0.5
    att = att.masked_fill(idx < 0, float("-inf"))
    att = att.softmax(-1)
    return (att.unsqueeze(-1) * v).sum(-2)
