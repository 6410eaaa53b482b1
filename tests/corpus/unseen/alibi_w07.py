from __future__ import annotations

import math
import torch
from torch import Tensor


class _Alibi:
    """Namespace for the pieces."""

    @staticmethod
    def exponents(heads: int) -> list[float]:
        floor = 2 ** int(math.log2(heads))
        exps = [8.0 * i / floor for i in range(1, floor + 1)]
        exps.extend(4.0 * i / floor for i in range(1, 2 * (heads - floor), 2))
        return exps


def slopes(heads: int) -> Tensor:
    return torch.tensor([2.0 ** -e for e in _Alibi.exponents(heads)])


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    where_q = torch.arange(key_length)[key_length - query_length :, None]
    where_k = torch.arange(key_length)[None]
    distance = (where_q - where_k).float()
    distance = distance.masked_fill(distance < 0, math.inf)
    return -torch.einsum("h,qk->hqk", slopes(heads), distance)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    b, h, tq, d = query.shape
    tk = key.shape[2]
    scale = 1.0 / math.sqrt(d)
    prior = bias(h, tq, tk).to(query).expand(b, h, tq, tk).reshape(b * h, tq, tk)
    scores = torch.baddbmm(
        prior,
        query.reshape(b * h, tq, d),
        key.reshape(b * h, tk, d).transpose(1, 2),
        beta=scale,
        alpha=scale,
    )
    out = torch.bmm(scores.softmax(-1), value.reshape(b * h, tk, -1))
    return out.view(b, h, tq, -1)
