import torch
import torch.nn.functional as F


def window_attention(query, key, value, window):
    """unfold the keys: every query gets exactly `window` of them, no (L, L) anywhere"""
    B, H, L, D = query.shape
    w = min(window, L)
    up = torch.float64 if query.dtype == torch.float64 else torch.float32
    q, k, v = query.to(up), key.to(up), value.to(up)

    # (B, H, L, D, w): place j of query i is key i - w + 1 + j
    k = F.pad(k, (0, 0, w - 1, 0)).unfold(2, w, 1)
    v = F.pad(v, (0, 0, w - 1, 0)).unfold(2, w, 1)

    att = torch.einsum("bhld,bhldw->bhlw", q, k) * D ** -0.5
    att = torch.softmax(att, dim=-1)
    return torch.einsum("bhlw,bhldw->bhld", att, v).to(query.dtype)
