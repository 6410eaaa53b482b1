import torch


def window_attention(query, key, value, window):
    B, H, T, D = query.shape
    scale = D ** -0.5
    out = torch.zeros_like(query)
    for i in range(T):
        j0, j1 = i - window + 1, i + 1
        ks = key[..., j0:j1, :]
        vs = value[..., j0:j1, :]
        w = (query[..., i, None, :] * ks).sum(-1).mul(scale).softmax(-1)
        out[..., i, :] = (w.unsqueeze(-1) * vs).sum(-2)
    return out
