import math
import torch
import torch.nn as nn


# 缓存: 每个样本一个 (K, V) 对, 已经去掉了 padding, 所以后面根本不需要 mask
class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super(CachedCrossAttention, self).__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.dense = nn.Linear(hidden_dim, hidden_dim)

    def split(self, t):
        # (L, hidden) -> (heads, L, head_dim)
        return t.reshape(t.size(0), self.num_heads, self.head_dim).permute(1, 0, 2)

    def build(self, memory, lengths):
        entries = []
        for sample, n in zip(memory, lengths.tolist()):
            real = sample[: int(n)]  # 只取真实的部分
            entries.append((self.split(self.key(real)), self.split(self.value(real))))
        return tuple(entries)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            cache = self.build(memory, memory_lengths)
        queries = self.query(x)
        rows = []
        for q, (k, v) in zip(queries, cache):
            s = torch.einsum("hqd,hkd->hqk", self.split(q), k)
            w = (s / math.sqrt(self.head_dim)).softmax(dim=2)
            ctx = torch.einsum("hqk,hkd->qhd", w, v)
            rows.append(ctx.reshape(ctx.size(0), -1))
        return self.dense(torch.stack(rows)), cache
