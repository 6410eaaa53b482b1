# wrong: linear linear-state-not-kept line 18
# fair: linear-state-not-kept 18, 19, 20
import torch


def phi(x):
    return torch.nn.functional.elu(x) + 1


def linear_attention(query, key, value):
    return phi(query) @ (phi(key).mT @ value) / (phi(query) @ phi(key).sum(-2)[..., None])


def causal_linear_attention(query, key, value):
    out = torch.zeros_like(value)
    q, k = phi(query), phi(key)
    for i in range(q.shape[2]):
        state = k[:, :, i, :, None] * value[:, :, i, None, :]
        total = k[:, :, i]
        out[:, :, i] = (q[:, :, i, :, None] * state).sum(-2) / (q[:, :, i] * total).sum(-1, keepdim=True)
    return out
