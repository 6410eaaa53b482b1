import torch
import torch.nn.functional as F


def phi(x):
    return F.elu(x) + 1.0


def linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    kv = k.transpose(-2, -1) @ value
    z = k.sum(-2)
    num = q @ kv
    den = (q * z.unsqueeze(-2)).sum(-1, keepdim=True)
    return num / den


def causal_linear_attention(query, key, value):
    """An RNN: one state, updated and then read."""
    q, k = phi(query), phi(key)
    b, h, t, d = q.shape
    state = torch.zeros(b, h, d, value.shape[-1], dtype=q.dtype, device=q.device)
    total = torch.zeros(b, h, d, dtype=q.dtype, device=q.device)
    out = []
    for i in range(t):
        state = state + k[:, :, i].unsqueeze(-1) * value[:, :, i].unsqueeze(-2)
        total = total + k[:, :, i]
        num = (q[:, :, i].unsqueeze(-2) @ state).squeeze(-2)
        den = (q[:, :, i] * total).sum(-1, keepdim=True)
        out.append(num / den)
    return torch.stack(out, dim=2)
