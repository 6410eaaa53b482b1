import torch


def window_attention(query, key, value, window):
    scale = query.shape[-1] ** -0.5
    rows = []
    for i in range(query.shape[2]):
        span = slice(i - window + 1, i + 1)
        k, v = key[:, :, span], value[:, :, span]
        w = torch.softmax(query[:, :, i:i + 1] @ k.mT * scale, dim=-1)
        rows.append(w @ v)
    return torch.cat(rows, dim=2)
