# wrong: linear linear-normaliser-not-causal line 20
# fair: linear-normaliser-not-causal 20, 25
import torch
import torch.nn.functional as F
from torch import Tensor


def phi(x: Tensor) -> Tensor:
    return F.elu(x) + 1


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k = phi(query), phi(key)
    z = 1.0 / torch.einsum("bhqd,bhd->bhq", q, k.sum(2))
    return torch.einsum("bhqd,bhdv,bhq->bhqv", q, torch.einsum("bhkd,bhkv->bhdv", k, value), z)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k = phi(query), phi(key)
    norm = (q * k.sum(dim=2, keepdim=True)).sum(-1)
    state = q.new_zeros(*q.shape[:2], q.shape[-1], value.shape[-1])
    out = torch.empty_like(value)
    for i in range(q.shape[2]):
        state = state + k[:, :, i].unsqueeze(-1) * value[:, :, i].unsqueeze(-2)
        out[:, :, i] = torch.einsum("bhd,bhdv->bhv", q[:, :, i], state) / norm[:, :, i, None]
    return out
