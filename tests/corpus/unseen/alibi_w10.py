import math
import torch


# 每个头的斜率; 头数不是 2 的幂时按论文作者的代码补齐
def slopes(heads):
    def f(n):
        r = 2 ** (-8 / n)
        return [r ** (i + 1) for i in range(n)]

    p = 1 << int(math.log2(heads))
    s = f(p) + f(2 * p)[::2][: heads - p]
    s = sorted(s, reverse=True)  # 从陡到平
    return torch.tensor(s, dtype=torch.float64)


def bias(heads, query_length, key_length):
    off = key_length - query_length
    dist = (torch.arange(query_length).unsqueeze(1) + off) - torch.arange(key_length).unsqueeze(0)
    b = slopes(heads)[:, None, None] * dist.neg()
    causal = torch.full((query_length, key_length), -math.inf, dtype=b.dtype).triu(off + 1)
    return b.tril(off) + causal


def attention(query, key, value):
    B, H, Q, D = query.shape
    K = key.shape[2]
    b = bias(H, Q, K).to(query.device)
    outs = []
    for h in range(H):   # 逐头计算, 省显存
        s = query[:, h].double() @ key[:, h].double().transpose(1, 2) / math.sqrt(D) + b[h]
        s = (s - s.amax(-1, keepdim=True)).exp()
        outs.append((s @ value[:, h].double()) / s.sum(-1, keepdim=True))
    return torch.stack(outs, 1).to(query.dtype)
