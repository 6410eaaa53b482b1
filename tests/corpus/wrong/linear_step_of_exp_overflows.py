# wrong: linear gradient-nan line 7
# fair: gradient-nan 7, 8
import torch


def phi(t):
    below = torch.exp(t)
    return torch.relu(t) + torch.where(t < 0, below, torch.ones_like(t))


def linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    return (q @ (k.mT @ value)) / (q @ k.sum(-2)[..., None])


def causal_linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    rows, state, norm = [], 0, 0
    for t in range(q.shape[2]):
        state = state + k[:, :, t, :, None] * value[:, :, t, None, :]
        norm = norm + k[:, :, t]
        read = (q[:, :, t, None] @ state).squeeze(2)
        rows.append(read / (q[:, :, t] * norm).sum(-1, keepdim=True))
    return torch.stack(rows, 2)
