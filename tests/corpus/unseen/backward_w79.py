from __future__ import annotations

import torch
from torch import Tensor


def _weights(query: Tensor, key: Tensor, causal: bool) -> Tensor:
    s = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.shape[-1] ** -0.5
    if causal:
        n, m = s.shape[-2:]
        seen = torch.arange(m, device=s.device)[None] <= torch.arange(m - n, m, device=s.device)[:, None]
        s = torch.where(seen, s, torch.finfo(s.dtype).min)
    return torch.softmax(s, dim=-1)


def attention_backward(query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False):
    root = query.shape[-1] ** 0.5
    p = _weights(query, key, causal)
    grad_value = torch.einsum("bhqk,bhqe->bhke", p, grad_output)
    grad_p = torch.einsum("bhqe,bhke->bhqk", grad_output, value)
    grad_s = p * (grad_p - (p * grad_p).sum(dim=-1, keepdim=True))
    grad_query = torch.einsum("bhqk,bhkd->bhqd", grad_s, key) / root
    grad_key = torch.einsum("bhqk,bhqd->bhkd", grad_s, query)
    return grad_query, grad_key, grad_value
