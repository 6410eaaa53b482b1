# attn-kata: linear
import torch
from torch import nn, Tensor


def phi(x: Tensor) -> Tensor:
    return nn.functional.elu(x) + 1


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k = phi(query), phi(key)
    kv = torch.einsum("bhnd,bhne->bhde", k, value)
    z = torch.einsum("bhmd,bhd->bhm", q, k.sum(2)).reciprocal()
    return torch.einsum("bhmd,bhde,bhm->bhme", q, kv, z)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k = phi(query), phi(key)
    b, h, n, d = k.shape
    state = k.new_zeros(b, h, d, value.shape[-1])
    norm = k.new_zeros(b, h, d)
    outs = []
    for t in range(n):
        norm = norm + k[:, :, t]
        top = torch.einsum("bhd,bhde->bhe", q[:, :, t], state)
        state = state + torch.einsum("bhd,bhe->bhde", k[:, :, t], value[:, :, t])
        bottom = torch.einsum("bhd,bhd->bh", q[:, :, t], norm)
        outs.append(top / bottom.unsqueeze(-1))
    return torch.stack(outs, dim=2)
