# attn-kata: backward
import math

import torch
from torch import Tensor


def softmax_vjp(p: Tensor, dp: Tensor, dim: int = -2) -> Tensor:
    """gradient at the scores, given the weights and the gradient at the weights"""
    return p * (dp - (p * dp).sum(dim=dim, keepdim=True))


def weights_of(q: Tensor, k: Tensor, scale: float, causal: bool) -> Tensor:
    s = (q @ k.transpose(-1, -2)) * scale
    if causal:
        n, m = s.shape[-2:]
        keep = torch.ones(n, m, dtype=torch.bool, device=s.device).tril(m - n)
        s = s.masked_fill(~keep, float("-inf"))
    return torch.softmax(s, dim=-1)


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    scale = 1 / math.sqrt(query.shape[-1])
    p = weights_of(query, key, scale, causal)
    grad_value = p.transpose(-1, -2) @ grad_output
    dp = grad_output @ value.transpose(-1, -2)
    ds = softmax_vjp(p, dp)
    grad_query = scale * (ds @ key)
    grad_key = scale * (ds.transpose(-1, -2) @ query)
    return grad_query, grad_key, grad_value
