import torch


def window_attention(query, key, value, window):
    B, H, T, D = query.shape
    # idx[i, w]: the key that query i sees at slot w, newest first
    i = torch.arange(T, device=query.device)[:, None]
    w = torch.arange(window, device=query.device)[None, :]
    idx = (i - w).clamp(min=0)

    k = key[:, :, idx]        # (B, H, T, W, D)
    v = value[:, :, idx]
    att = torch.einsum("bhtd,bhtwd->bhtw", query, k) * D**-0.5
    att = att.softmax(dim=-1)
    return torch.einsum("bhtw,bhtwd->bhtd", att, v)
