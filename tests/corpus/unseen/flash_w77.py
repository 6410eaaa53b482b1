import math
import torch


def flash_attention(query, key, value, block_size, causal=False):
    """分块计算注意力,在线 softmax"""
    b, h, n, d = query.shape
    block_size = min(block_size, n)
    num_blocks = n // block_size

    out = torch.zeros(b, h, n, d, dtype=query.dtype, device=query.device)
    row_sum = torch.zeros(b, h, n, dtype=query.dtype, device=query.device)
    row_max = torch.full((b, h, n), -float("inf"), dtype=query.dtype, device=query.device)
    rows = torch.arange(n, device=query.device)

    for j in range(num_blocks):
        lo, hi = j * block_size, min((j + 1) * block_size, n)
        k_j, v_j = key[:, :, lo:hi], value[:, :, lo:hi]
        s = torch.matmul(query, k_j.transpose(-1, -2)) / math.sqrt(d)
        if causal:
            cols = torch.arange(lo, hi, device=query.device)
            s = s.masked_fill(cols[None, :] > rows[:, None], -float("inf"))

        # 更新最大值
        new_max = torch.maximum(row_max, s.max(dim=-1)[0])
        p = torch.exp(s - new_max[..., None])
        # 旧的结果要按新的最大值缩放
        factor = torch.exp(row_max - new_max)
        row_sum = factor * row_sum + p.sum(dim=-1)
        out = factor[..., None] * out + torch.matmul(p, v_j)
        row_max = new_max

    return out / row_sum[..., None]
