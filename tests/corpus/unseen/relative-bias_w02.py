import math
import torch
from torch import Tensor

# 位置差 -> 桶号
def bucket(relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128) -> Tensor:
    half = num_buckets // 2 if bidirectional else num_buckets
    exact = half // 2
    behind = (-relative_position).clamp(min=0)
    ahead = relative_position.clamp(min=0)
    d = torch.maximum(behind, ahead) if bidirectional else behind

    # 距离大于等于 exact 的部分按对数分桶
    t = (d.double() / exact).clamp(min=1.0).log() / math.log(max_distance / exact)
    coarse = torch.clamp(exact + (t * (half - exact)).trunc().long(), max=half - 1)
    b = torch.where(d < exact, d.long(), coarse)
    if bidirectional:
        b = torch.where(relative_position > 0, b + half, b)
    return b


def bias(table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128) -> Tensor:
    start = key_length - query_length
    rel = torch.arange(key_length)[None, :] - torch.arange(start, key_length)[:, None]
    ids = bucket(rel, bidirectional, max_distance=max_distance).to(table.device)
    ids = ids.clamp(max=table.size(0) - 1)
    h = table.size(1)
    return table.index_select(0, ids.flatten()).view(query_length, key_length, h).permute(2, 0, 1).contiguous()


def attention(query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True, max_distance: int = 128) -> Tensor:
    B, H, Lq, _ = query.shape
    Lk = key.shape[2]
    dt = torch.float64 if query.dtype == torch.float64 else torch.float32
    add = bias(table, Lq, Lk, bidirectional, max_distance).to(dt).expand(B, H, Lq, Lk).reshape(B * H, Lq, Lk)
    s = torch.baddbmm(add, query.to(dt).reshape(B * H, Lq, -1), key.to(dt).reshape(B * H, Lk, -1).transpose(1, 2))
    if not bidirectional:
        tri = torch.full((Lq, Lk), float("-inf"), dtype=dt, device=s.device).triu(Lk - Lq + 1)
        s = s + tri
    p = torch.softmax(s, dim=-1)
    o = torch.bmm(p, value.to(dt).reshape(B * H, Lk, -1))
    return o.view(B, H, Lq, -1).to(query.dtype)
