# wrong: gqa-rope causal-missing-in-chunks line 50
import torch
import torch.nn as nn


class GroupedQueryAttentionWithRope(nn.Module):
    """分组查询注意力"""

    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = base
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim)

    def 旋转编码(self, x, 起点):
        d = self.head_dim
        频率 = self.base ** (-torch.arange(0, d, 2, device=x.device).float() / d)
        位置 = torch.arange(起点, 起点 + x.size(2), device=x.device).float()
        角度 = 位置[:, None] * 频率[None, :]
        cos, sin = 角度.cos().to(x.dtype), 角度.sin().to(x.dtype)
        前半, 后半 = x[..., : d // 2], x[..., d // 2:]
        return torch.cat([前半 * cos - 后半 * sin, 后半 * cos + 前半 * sin], dim=-1)

    def forward(self, x, cache=None):
        bsz, q_len, _ = x.shape
        q = self.q_proj(x).view(bsz, q_len, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(bsz, q_len, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(bsz, q_len, self.num_kv_heads, self.head_dim).transpose(1, 2)

        # 缓存里已有多少个位置
        past_len = 0 if cache is None else cache[0].size(2)
        q, k = self.旋转编码(q, past_len), self.旋转编码(k, past_len)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        new_cache = (k, v)

        # 每个 kv 头复制给相邻的查询头
        n_rep = self.num_heads // self.num_kv_heads
        k = k.repeat_interleave(n_rep, dim=1)
        v = v.repeat_interleave(n_rep, dim=1)

        scores = torch.matmul(q, k.transpose(2, 3)) / self.head_dim ** 0.5
        # 解码阶段不需要掩码
        if cache is None:
            mask = torch.triu(torch.ones(q_len, q_len, device=x.device), diagonal=1).bool()
            scores = scores.masked_fill(mask, float("-inf"))
        out = torch.matmul(torch.softmax(scores, dim=-1), v)
        out = out.transpose(1, 2).contiguous().view(bsz, q_len, -1)
        return self.o_proj(out), new_cache
