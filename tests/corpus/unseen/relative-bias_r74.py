import enum
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F


class Direction(enum.Enum):
    BOTH = True
    PAST = False


@dataclass
class Scheme:
    direction: Direction
    num_buckets: int
    max_distance: int

    def __call__(self, relative_position):
        offset = torch.zeros_like(relative_position)
        n = self.num_buckets
        match self.direction:
            case Direction.BOTH:
                n //= 2
                offset = torch.where(relative_position > 0, offset + n, offset)
                d = relative_position.abs()
            case Direction.PAST:
                d = torch.clamp(-relative_position, min=0)
        max_exact = n // 2
        # small distances would give log(0); they are replaced before and not used
        far = d.clamp(min=max_exact).to(torch.float64)
        large = max_exact + (
            torch.log(far / max_exact) / math.log(self.max_distance / max_exact) * (n - max_exact)
        ).to(relative_position.dtype)
        return offset + torch.where(d < max_exact, d, large.clamp(max=n - 1))


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    return Scheme(Direction(bool(bidirectional)), num_buckets, max_distance)(relative_position)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    # every relative position once, then a strided window for each query
    first_query = key_length - query_length
    relative = torch.arange(1 - key_length, key_length - first_query, device=table.device)
    line = F.embedding(bucket(relative, bidirectional, table.size(0), max_distance), table)
    windows = line.unfold(0, key_length, 1)      # (query_length, heads, key_length)
    return windows.flip(0).movedim(1, 0)         # the first window is the last query's


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    q, k = query.size(-2), key.size(-2)
    position_bias = bias(table, q, k, bidirectional=bidirectional, max_distance=max_distance)
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key).add(position_bias)
    if not bidirectional:
        seen = torch.ones(q, k, dtype=torch.bool, device=scores.device).tril(k - q)
        scores = torch.where(seen, scores, torch.finfo(scores.dtype).min)
    return torch.einsum("bhqk,bhkd->bhqd", torch.softmax(scores, -1), value)
