import torch


def elu1(x):
    return torch.where(x > 0, x + 1, torch.exp(x))


def linear_attention(query, key, value):
    q, k = elu1(query), elu1(key)
    s = k.mT @ value
    z = k.sum(-2, keepdim=True).mT
    return (q @ s) / (q @ z)


def causal_linear_attention(query, key, value):
    q, k = elu1(query), elu1(key)
    s, z, outs = 0, 0, []
    for t in range(q.shape[-2]):
        kt, vt, qt = k[..., t : t + 1, :], value[..., t : t + 1, :], q[..., t : t + 1, :]
        s = s + kt.mT @ vt
        z = z + kt.mT
        outs.append((qt @ s) / (qt @ z))
    return torch.cat(outs, -2)
