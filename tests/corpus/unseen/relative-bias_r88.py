# 思路：先用纯 Python 算出每个距离对应的桶（查表），再用张量索引
import math

import torch


def 距离表(n, max_distance):
    """距离 0 .. max_distance 各在哪个桶，n 是一个方向的桶数"""
    m = n // 2
    out = []
    for d in range(int(max_distance) + 1):
        if d < m:
            out.append(d)  # 近的：一个距离一个桶
        else:
            # 远的：对数划分
            b = m + int(math.log(d / m) / math.log(max_distance / m) * (n - m))
            out.append(min(b, n - 1))
    out.append(n - 1)  # 比 max_distance 还远
    return out


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    rel = relative_position.long()
    n = num_buckets // 2 if bidirectional else num_buckets
    lut = torch.tensor(距离表(n, max_distance), device=rel.device)
    if bidirectional:
        idx = rel.abs().clamp(max=len(lut) - 1)
        return lut[idx] + n * (rel > 0)
    # 解码器：后面的 key 距离当 0
    idx = (-rel).clamp(min=0, max=len(lut) - 1)
    return lut[idx]


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    k = torch.arange(key_length, device=table.device)
    q = torch.arange(query_length, device=table.device) + (key_length - query_length)
    b = bucket(k - q.unsqueeze(1), bidirectional, table.size(0), max_distance)
    # 先转置成 (heads, 桶)，再索引，头就自然在最前面
    return table.t()[:, b]


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    B, H, Tq, D = query.shape
    Tk = key.size(2)
    q, k, v = query, key, value
    if q.dtype in (torch.float16, torch.bfloat16):
        q, k, v = q.float(), k.float(), v.float()
    add = bias(table, Tq, Tk, bidirectional, max_distance).to(q.dtype)
    if not bidirectional:
        # 位置 i 只能看到 j <= i + 偏移
        i = torch.arange(Tk - Tq, Tk, device=q.device).view(-1, 1)
        j = torch.arange(Tk, device=q.device).view(1, -1)
        mask = torch.zeros(Tq, Tk, dtype=q.dtype, device=q.device)
        mask[j > i] = float("-inf")
        add = add + mask
    s = q @ k.mT + add
    # 手写 softmax，先减最大值
    e = (s - s.amax(-1, keepdim=True)).exp()
    p = e / e.sum(-1, keepdim=True)
    return (p @ v).to(query.dtype)
