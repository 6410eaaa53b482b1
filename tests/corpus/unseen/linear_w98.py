import torch
from torch.nn.functional import elu


def feature_map(t):
    return elu(t) + 1.0


def linear_attention(query, key, value):
    q, k = feature_map(query), feature_map(key)
    kv = k.transpose(-2, -1) @ value                  # (b, h, d, dv)
    z = k.sum(dim=-2, keepdim=True).transpose(-2, -1)  # (b, h, d, 1)
    return (q @ kv) / (q @ z)


def causal_linear_attention(query, key, value):
    q, k = feature_map(query), feature_map(key)
    b, h, n, d = q.shape
    out = value.new_zeros(1).expand(value.shape)
    state = value.new_zeros(b, h, d, value.shape[-1])
    norm = value.new_zeros(b, h, d)
    for t in range(n):
        state = state + k[:, :, t, :, None] * value[:, :, t, None, :]
        norm = norm + k[:, :, t]
        top = (q[:, :, t, None, :] @ state).squeeze(-2)
        bottom = (q[:, :, t] * norm).sum(-1, keepdim=True)
        out[:, :, t] = top / bottom
    return out
