import torch


def _one(q, k, v):
    # q (B, H, D), k and v (B, H, n, D)
    w = torch.einsum('bhd,bhnd->bhn', q, k) * q.shape[-1] ** -0.5
    return torch.einsum('bhn,bhnd->bhd', w.softmax(-1), v)


def window_attention(query, key, value, window):
    outs = []
    for t, q in enumerate(query.unbind(2)):
        span = slice(t + 1 - window, t + 1)
        outs.append(_one(q, key[:, :, span], value[:, :, span]))
    return torch.stack(outs, 2)
