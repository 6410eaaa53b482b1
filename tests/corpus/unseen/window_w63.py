import torch
from torch.nn import functional as F


def window_attention(query, key, value, window):
    # query  (batch, heads, length, head_dim)
    # the window as a new axis, no (length, length) anywhere
    length = query.size(2)
    w = min(window, length)
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32

    q = query.to(wide).unsqueeze(3)                                       # (b, h, l, 1, d)
    past_k = F.pad(key.to(wide), (0, 0, w - 1, 0))                        # (b, h, l + w - 1, d)
    past_v = F.pad(value.to(wide), (0, 0, w - 1, 0))

    index = torch.arange(length, device=query.device)[:, None] + torch.arange(w, device=query.device)
    k = past_k[:, :, index]                                               # (b, h, l, w, d)
    v = past_v[:, :, index]

    logits = (q * k).sum(-1) / query.size(-1) ** 0.5                      # (b, h, l, w)
    weights = logits.softmax(-1).unsqueeze(-1)
    return (weights * v).sum(3).to(query.dtype)
