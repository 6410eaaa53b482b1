import torch
import torch.nn.functional as F


def linear_attention(query, key, value):
    q = F.elu(query) + 1
    k = F.elu(key) + 1
    kv = torch.matmul(k.transpose(-2, -1), value)      # (b, h, d, e)
    ksum = k.sum(dim=2)                                # (b, h, d)
    top = torch.matmul(q, kv)
    bottom = (q * ksum.unsqueeze(2)).sum(dim=-1, keepdim=True)
    return top / bottom


def causal_linear_attention(query, key, value):
    q = F.elu(query) + 1
    k = F.elu(key) + 1
    b, h, t, d = k.shape
    out = torch.zeros_like(query)
    kv = 0
    ksum = 0
    for i in range(t):
        ki = k[:, :, i]
        vi = value[:, :, i]
        qi = q[:, :, i]
        kv = kv + ki.unsqueeze(-1) * vi.unsqueeze(-2)
        ksum = ksum + ki
        top = (qi.unsqueeze(-1) * kv).sum(dim=-2)
        bottom = (qi * ksum).sum(dim=-1, keepdim=True)
        out[:, :, i] = top / bottom
    return out
