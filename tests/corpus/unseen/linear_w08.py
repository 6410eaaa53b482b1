import torch
from torch import Tensor
import torch.nn.functional as F


def _feature(x: Tensor) -> Tensor:
    return F.elu(x) + 1.0


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k = _feature(query), _feature(key)
    n = query.size(-2)
    # means instead of sums: the same quotient, smaller numbers in half precision
    context = torch.einsum("bhsd,bhse->bhde", k, value / n)
    norm = torch.einsum("bhtd,bhd->bht", q, k.mean(dim=2))
    return torch.einsum("bhtd,bhde->bhte", q, context) / norm[..., None]


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k = _feature(query), _feature(key)
    states = torch.cumsum(k[..., :, None] * value[..., None, :], dim=2)
    norm = (q * torch.cumsum(k, dim=2)).sum(-1, keepdim=True)
    return (q.unsqueeze(-2) @ states).squeeze(-2) / norm
