from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

CHUNK = 16


def _phi(x: Tensor) -> Tensor:
    return F.elu(x).add(1.0)


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k = _phi(query), _phi(key)
    context = torch.einsum("...nd,...ne->...de", k, value)
    norm = torch.einsum("...nd,...d->...n", q, k.sum(dim=-2))
    return torch.einsum("...nd,...de->...ne", q, context) / norm.unsqueeze(-1)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k = _phi(query), _phi(key)
    carried: Tensor | None = None
    pieces = []
    for qc, kc, vc in zip(q.split(CHUNK, dim=2), k.split(CHUNK, dim=2), value.split(CHUNK, dim=2)):
        states = (kc[..., None] * vc[..., None, :]).cumsum(dim=2)
        sums = kc.cumsum(dim=2)
        if carried is not None:
            states = states + carried
        carried = states[:, :, -1:]
        numerator = (qc[..., None] * states).sum(dim=-2)
        pieces.append(numerator / (qc * sums).sum(dim=-1, keepdim=True))
    return torch.cat(pieces, dim=2)
