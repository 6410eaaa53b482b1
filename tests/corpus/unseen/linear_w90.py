from __future__ import annotations

import torch
from torch import Tensor


def feature_map(x: Tensor) -> Tensor:
    return torch.where(x > 0, x + 1, torch.exp(x))


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    phi_q, phi_k = feature_map(query), feature_map(key)
    kv = torch.einsum("bhnd,bhnv->bhdv", phi_k, value)
    z = torch.einsum("bhmd,bhd->bhm", phi_q, phi_k.sum(dim=2))
    return torch.einsum("bhmd,bhdv->bhmv", phi_q, kv) / z[..., None]


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    phi_q, phi_k = feature_map(query), feature_map(key)
    kv = torch.zeros_like(torch.einsum("bhd,bhv->bhdv", key[:, :, 0], value[:, :, 0]))
    z = torch.zeros_like(key[:, :, 0])
    rows = []
    for t in range(query.shape[2]):
        kv = kv + torch.einsum("bhd,bhv->bhdv", phi_k[:, :, t], value[:, :, t])
        z = z + phi_k[:, :, t]
        upper = torch.einsum("bhd,bhdv->bhv", phi_q[:, :, t], kv)
        lower = torch.einsum("bhd,bhd->bh", phi_q[:, :, t], z)
        rows.append(upper / lower.unsqueeze(-1))
    return torch.stack(rows, dim=2)
