import torch
import torch.nn as nn


class CachedSelfAttention(nn.Module):
    """带 KV cache 的因果注意力"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def split_heads(self, t):
        b, n, _ = t.shape
        return t.reshape(b, n, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, cache=None):
        b, n, c = x.shape
        q = self.split_heads(self.wq(x))
        k = self.split_heads(self.wk(x))
        v = self.split_heads(self.wv(x))

        # 拼接历史
        if cache is not None:
            k = torch.cat([cache["k"], k], dim=2)
            v = torch.cat([cache["v"], v], dim=2)
        new_cache = {"k": k, "v": v}
        total = k.shape[2]

        scores = q @ k.transpose(-1, -2) / self.head_dim ** 0.5
        # 上三角遮住
        mask = torch.triu(torch.ones(n, n, device=x.device), diagonal=1).bool()
        scores = scores.masked_fill(mask, float("-inf"))
        out = scores.softmax(-1) @ v
        out = out.transpose(1, 2).reshape(b, n, c)
        return self.wo(out), new_cache
