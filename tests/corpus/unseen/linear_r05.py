import torch
import torch.nn.functional as F
from torch import Tensor


def phi(x: Tensor) -> Tensor:
    return F.elu(x) + 1


def _up(t: Tensor) -> Tensor:
    return t if t.dtype == torch.float64 else t.float()


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k, v = phi(_up(query)), phi(_up(key)), _up(value)
    kv = k.transpose(-1, -2) @ v                     # (b, h, d, e)
    z = k.sum(dim=-2)                                # (b, h, d)
    num = q @ kv
    den = (q * z.unsqueeze(-2)).sum(-1, keepdim=True)
    return (num / den).to(value.dtype)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k, v = phi(_up(query)), phi(_up(key)), _up(value)
    b, h, n, d = q.shape
    state = v.new_zeros(b, h, d, v.shape[-1])
    norm = v.new_zeros(b, h, d)
    steps = []
    for t in range(n):
        state = state + k[:, :, t, :, None] * v[:, :, t, None, :]
        norm = norm + k[:, :, t]
        num = (q[:, :, t, :, None] * state).sum(-2)
        den = (q[:, :, t] * norm).sum(-1, keepdim=True)
        steps.append(num / den)
    return torch.stack(steps, dim=2).to(value.dtype)
