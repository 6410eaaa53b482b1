import math

import torch


def flash_attention(query, key, value, block_size, causal=False):
    """FlashAttention 的前向：一块一块地读 key/value，在线更新 softmax"""
    batch, heads, length, head_dim = query.shape
    device = query.device

    # 三个需要一直保存的量：
    # m：目前为止最大的分数
    # s：目前为止指数的和
    # o：目前为止还没有归一化的输出
    m = torch.zeros(batch, heads, length, 1, dtype=query.dtype, device=device)
    s = torch.zeros(batch, heads, length, 1, dtype=query.dtype, device=device)
    o = torch.zeros_like(query)

    # 查询的绝对位置
    q_pos = torch.arange(length, device=device).unsqueeze(1)

    for start in range(0, length, block_size):
        # 最后一块可能不满，所以取 min
        end = min(start + block_size, length)
        k = key[:, :, start:end, :]
        v = value[:, :, start:end, :]

        # 这一块的分数 (batch, heads, length, end-start)
        scores = query @ k.transpose(-2, -1) / math.sqrt(head_dim)
        if causal:
            # 用整个序列里的位置来比较
            k_pos = torch.arange(start, end, device=device).unsqueeze(0)
            scores = scores.masked_fill(k_pos > q_pos, float("-inf"))

        # 新的最大值
        new_m = torch.maximum(m, scores.max(dim=-1, keepdim=True)[0])
        # 以新的最大值为基准算指数
        p = torch.exp(scores - new_m)
        # 旧的和、旧的输出都要按比例缩小
        factor = torch.exp(m - new_m)
        s = factor * s + p.sum(dim=-1, keepdim=True)
        o = factor * o + p @ v
        m = new_m

    # 最后只除一次
    return o / s
