# attn-kata: kvcache
import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    """带 KV cache 的因果自注意力。cache 是 {"k": ..., "v": ...}。"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.seen = 0       # 已经处理过的 token 数

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        q = self.wq(x).view(b, n, self.num_heads, self.head_dim)
        k = self.wk(x).view(b, n, self.num_heads, self.head_dim)
        v = self.wv(x).view(b, n, self.num_heads, self.head_dim)

        if cache is None:
            self.seen = 0
        else:
            k = torch.cat([cache["k"], k], dim=1)
            v = torch.cat([cache["v"], v], dim=1)

        q_pos = torch.arange(self.seen, self.seen + n, device=x.device)
        k_pos = torch.arange(k.size(1), device=x.device)
        self.seen += n

        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.head_dim ** 0.5
        scores = scores.masked_fill(k_pos[None, :] > q_pos[:, None], float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        out = torch.einsum("bhqk,bkhd->bqhd", weights, v).reshape(b, n, -1)
        return self.wo(out), {"k": k, "v": v}
