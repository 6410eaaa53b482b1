# attn-kata: sdpa
import torch


def attention(query, key, value, mask=None, causal=False):
    # 形状: query (b, h, n, d)   key (b, h, m, d)   value (b, h, m, e)
    n, m, d = query.size(-2), key.size(-2), query.size(-1)

    # 1. 把两种限制合成一个加在分数上的 bias
    bias = torch.zeros(n, m, dtype=query.dtype, device=query.device)
    if causal:
        # 最后一个 query 看得到全部 m 个 key
        i = torch.arange(n, device=query.device).view(n, 1) + (m - n)
        j = torch.arange(m, device=query.device).view(1, m)
        bias = bias.masked_fill(j > i, float("-inf"))
    if mask is not None:
        bias = bias.masked_fill(mask == 0, float("-inf"))

    # 2. 分数，两边各除以 d 的四次方根
    root = d ** 0.25
    scores = (query / root) @ (key / root).transpose(-1, -2) + bias

    # 3. softmax 和加权和
    weights = torch.softmax(scores, dim=-1)
    return weights @ value
