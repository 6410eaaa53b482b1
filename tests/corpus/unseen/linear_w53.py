import torch
from torch import Tensor


def elu1(x: Tensor) -> Tensor:
    x = x.to(torch.promote_types(x.dtype, torch.float32))
    return torch.where(x > 0, x + 1, torch.exp(x))


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q = elu1(query)
    k = elu1(key)
    context = torch.matmul(k.transpose(-1, -2), value.to(k.dtype))  # (b, h, d, v)
    normaliser = torch.matmul(q, k.sum(-2).unsqueeze(-1))  # (b, h, q, 1)
    return (torch.matmul(q, context) / normaliser).to(value.dtype)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k = elu1(query), elu1(key)
    state, total, rows = 0, 0, []
    for qi, ki, vi in zip(q.unbind(2), k.unbind(2), value.to(k.dtype).unbind(2)):
        state = state + torch.einsum("bhd,bhv->bhdv", ki, vi)
        total = total + ki
        weight = torch.einsum("bhd,bhd->bh", qi, total).unsqueeze(-1)
        rows.append(torch.einsum("bhd,bhdv->bhv", qi, state) / weight)
    return torch.stack(rows, dim=2).to(value.dtype)
