# T5 の相対位置バイアス
import math

import torch
from torch import Tensor


class Direction:
    """片方向のバケツ。前半は距離そのまま、後半は対数で広がる。"""

    def __init__(self, count: int, max_distance: int) -> None:
        self.count = count
        self.exact = count // 2
        self.ratio = math.log(max_distance / self.exact)

    def __call__(self, distance: Tensor) -> Tensor:
        safe = distance.clamp(min=self.exact).to(torch.float64)
        step = torch.log(safe / self.exact) / self.ratio * (self.count - self.exact)
        far = (self.exact + step.to(torch.int64)).clamp(max=self.count - 1)
        return torch.where(distance < self.exact, distance.to(torch.int64), far)


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    count = num_buckets // 2 if bidirectional else num_buckets
    number = Direction(count, max_distance)(relative_position.abs())
    if bidirectional:
        # 先の鍵は上半分
        number = number + (relative_position > 0).to(torch.int64) * count
    return number


def bias(table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128) -> Tensor:
    keys = torch.arange(key_length, device=table.device).view(1, -1)
    queries = torch.arange(query_length, device=table.device).view(-1, 1) + key_length - query_length
    numbers = bucket(keys - queries, bidirectional, table.size(0), max_distance)
    return torch.nn.functional.embedding(numbers, table).permute(2, 0, 1)


def attention(
    query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    q_len, k_len = query.size(2), key.size(2)
    scores = query @ key.transpose(2, 3) + bias(table, q_len, k_len, bidirectional, max_distance).unsqueeze(0)
    if not bidirectional:
        mask = torch.full((q_len, k_len), float("-inf"), dtype=scores.dtype, device=scores.device)
        scores = scores + mask.triu(k_len - q_len + 1)
    return scores.softmax(dim=-1) @ value
