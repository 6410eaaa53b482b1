# right: linear
import torch


def phi(x):
    # scaled after the map: it cancels
    return (torch.clamp(x, min=0) + torch.exp(torch.clamp(x, max=0))) * x.shape[-1] ** -0.5


def linear_attention(q, k, v):
    q, k = phi(q), phi(k)
    s = (k.unsqueeze(-1) * v.unsqueeze(-2)).sum(2)
    return (q.unsqueeze(-1) * s.unsqueeze(2)).sum(-2) / (q * k.sum(2, keepdim=True)).sum(-1, keepdim=True)


def causal_linear_attention(q, k, v):
    q, k = phi(q), phi(k)
    s, n = [], []
    state, norm = 0.0, 0.0
    for i in range(k.shape[2]):
        state = state + k[:, :, i, :, None] * v[:, :, i, None, :]
        norm = norm + k[:, :, i, :]
        s.append(state)
        n.append(norm)
    s, n = torch.stack(s, 2), torch.stack(n, 2)
    return torch.matmul(q.unsqueeze(-2), s).squeeze(-2) / (q * n).sum(-1, keepdim=True)
