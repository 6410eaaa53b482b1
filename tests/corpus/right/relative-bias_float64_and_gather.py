# right: relative-bias
import math
import torch
from torch import Tensor


def _one_way(distance: Tensor, n: int, max_distance: int) -> Tensor:
    exact = n // 2
    growth = torch.log(distance.to(torch.float64).clamp(min=exact) / exact) / math.log(max_distance / exact)
    coarse = torch.minimum(exact + torch.trunc(growth * (n - exact)).long(), torch.tensor(n - 1, device=distance.device))
    return coarse.where(distance >= exact, distance)


def bucket(relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128) -> Tensor:
    if not bidirectional:
        return _one_way(torch.maximum(-relative_position, torch.zeros_like(relative_position)), num_buckets, max_distance)
    n = num_buckets // 2
    behind = _one_way(relative_position.abs(), n, max_distance)
    return torch.where(relative_position > 0, behind + n, behind)


def bias(table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128) -> Tensor:
    num_buckets, heads = table.shape
    q = torch.arange(query_length, device=table.device).view(-1, 1) + (key_length - query_length)
    k = torch.arange(key_length, device=table.device).view(1, -1)
    numbers = bucket(k - q, bidirectional, num_buckets, max_distance).flatten()
    looked_up = table.gather(0, numbers[:, None].expand(-1, heads))
    return looked_up.T.reshape(heads, query_length, key_length)


def attention(query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True, max_distance: int = 128) -> Tensor:
    batch, heads, q_len, dim = query.shape
    k_len = key.shape[2]
    position = bias(table, q_len, k_len, bidirectional, max_distance).expand(batch, -1, -1, -1)
    scores = torch.baddbmm(position.reshape(-1, q_len, k_len), query.reshape(-1, q_len, dim), key.reshape(-1, k_len, dim).transpose(1, 2))
    if not bidirectional:
        hidden = torch.full((q_len, k_len), True, device=query.device).triu(1 + k_len - q_len)
        scores.masked_fill_(hidden, -torch.inf)
    return torch.bmm(scores.softmax(-1), value.reshape(batch * heads, k_len, -1)).view(batch, heads, q_len, -1)
