from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import lru_cache

import torch
from torch import Tensor


class SlopeSchedule:
    """Yields slopes, head by head."""

    @staticmethod
    def geometric(count: int) -> Iterator[float]:
        ratio = 2.0 ** (-8.0 / count)
        return itertools.accumulate(itertools.repeat(ratio, count), lambda a, b: a * b)

    @classmethod
    def for_heads(cls, heads: int) -> Iterator[float]:
        base = 2 ** int(math.floor(math.log2(heads)))
        yield from cls.geometric(base)
        yield from itertools.islice(cls.geometric(base * 2), 0, 2 * (heads - base), 2)


@lru_cache(maxsize=None)
def _slope_tuple(heads: int) -> tuple[float, ...]:
    return tuple(SlopeSchedule.for_heads(heads))


def slopes(heads: int) -> Tensor:
    return torch.tensor(_slope_tuple(heads), dtype=torch.float64)


def _head_bias(slope: float, q_len: int, k_len: int, device=None) -> Tensor:
    own = torch.arange(k_len, device=device)[k_len - q_len :]
    gap = own.unsqueeze(1) - torch.arange(k_len, device=device)
    out = gap.to(torch.float64).mul_(-slope)
    out[gap < 0] = -math.inf
    return out


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    return torch.stack([_head_bias(s, query_length, key_length) for s in _slope_tuple(heads)])


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    pieces = []
    for head, slope in enumerate(_slope_tuple(query.size(1))):
        q, k, v = (t[:, head].to(wide) for t in (query, key, value))
        s = torch.baddbmm(
            _head_bias(slope, q.size(1), k.size(1), q.device).to(wide),
            q,
            k.transpose(1, 2),
            alpha=1 / math.sqrt(q.size(-1)),
        )
        log_weights = s - s.logsumexp(dim=-1, keepdim=True)
        pieces.append(log_weights.exp().bmm(v))
    return torch.stack(pieces, dim=1).to(query.dtype)


if __name__ == "__main__":
    print(slopes(3))
    print(bias(2, 2, 4))
