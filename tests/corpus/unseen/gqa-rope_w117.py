import math

import torch
import torch.nn as nn


class GroupedQueryAttentionWithRope(nn.Module):
    """
    带旋转位置编码 (RoPE) 和 KV 缓存的分组查询注意力
    """

    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.n_heads = num_heads
        self.n_kv = num_kv_heads
        self.d = hidden_dim // num_heads
        self.base = base
        self.fc_q = nn.Linear(hidden_dim, num_heads * self.d)
        self.fc_k = nn.Linear(hidden_dim, num_kv_heads * self.d)
        self.fc_v = nn.Linear(hidden_dim, num_kv_heads * self.d)
        self.fc_o = nn.Linear(num_heads * self.d, hidden_dim)

    def rope(self, t, pos):
        # t: (batch, heads, length, d)，pos: (length,)
        half = self.d // 2
        i = torch.arange(half, device=t.device, dtype=torch.float64)
        freq = self.base ** (-2.0 * i / self.d)
        angle = pos.double()[:, None] * freq[None, :]
        cos, sin = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
        a, b = t[..., :half], t[..., half:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)

    def forward(self, x, cache=None):
        B, L, _ = x.shape
        q = self.fc_q(x).reshape(B, L, self.n_heads, self.d).transpose(1, 2)
        k = self.fc_k(x).reshape(B, L, self.n_kv, self.d).transpose(1, 2)
        v = self.fc_v(x).reshape(B, L, self.n_kv, self.d).transpose(1, 2)

        # 旋转 q 和 k
        pos = torch.arange(L, device=x.device)
        q = self.rope(q, pos)
        k = self.rope(k, pos)

        # 拼接缓存
        if cache is not None:
            k = torch.cat([cache["k"], k], dim=2)
            v = torch.cat([cache["v"], v], dim=2)
        new_cache = {"k": k, "v": v}

        # 每个 kv 头给一组查询头使用
        rep = self.n_heads // self.n_kv
        k = k.repeat_interleave(rep, dim=1)
        v = v.repeat_interleave(rep, dim=1)

        scores = q @ k.transpose(2, 3) / math.sqrt(self.d)
        S = k.shape[2]
        # 因果掩码：第 i 个查询的位置是 S - L + i
        mask = torch.arange(S, device=x.device)[None, :] > torch.arange(S - L, S, device=x.device)[:, None]
        scores = scores.masked_fill(mask, float("-inf"))
        out = scores.softmax(-1) @ v
        out = out.transpose(1, 2).reshape(B, L, -1)
        return self.fc_o(out), new_cache
