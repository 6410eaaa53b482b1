# wrong: linear overwritten-in-place line 18
import torch
from torch.nn import functional as F


def linear_attention(query, key, value):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    return (q @ (k.transpose(2, 3) @ value)) / (q @ k.sum(2).unsqueeze(-1))


def causal_linear_attention(query, key, value):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    v = torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)
    B, H, T, D = q.shape
    state = q.new_zeros(B, H, D, v.size(-1))
    ys = []
    for t in range(T):
        state += k[:, :, t, :, None] * v[:, :, t, None, :]
        ys.append((q[:, :, t, None, :] @ state).squeeze(2))
    y = torch.stack(ys, dim=2)
    return y[..., :-1] / y[..., -1:]
