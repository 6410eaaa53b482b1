# right: flash
import math
import torch


def flash_attention(query, key, value, block_size, causal=False):
    """分块注意力：状态用 float32 累加，最后转回输入的 dtype。"""
    dtype, dev = query.dtype, query.device
    q, k, v = query.float(), key.float(), value.float()
    b, h, t, d = q.shape
    m = torch.full((b, h, t), -math.inf, device=dev)       # 每个 query 目前的最大值
    l = torch.zeros((b, h, t), device=dev)                 # 目前的分母
    acc = torch.zeros((b, h, t, d), device=dev)            # 目前的分子
    for s0 in range(0, t, block_size):
        s1 = min(s0 + block_size, t)
        s = torch.einsum('bhid,bhjd->bhij', q, k[:, :, s0:s1]) / math.sqrt(d)
        if causal:
            # 用全局位置比较，不能用块内下标
            i = torch.arange(t, device=dev).reshape(t, 1)
            j = torch.arange(s0, s1, device=dev).reshape(1, s1 - s0)
            s = s.masked_fill(j > i, -math.inf)
        m2 = torch.maximum(m, s.max(dim=-1)[0])
        p = torch.exp(s - m2[..., None])
        a = torch.exp(m - m2)
        l = l * a + p.sum(dim=-1)
        acc = acc * a[..., None] + torch.einsum('bhij,bhjd->bhid', p, v[:, :, s0:s1])
        m = m2
    return (acc / l[..., None]).to(dtype)
