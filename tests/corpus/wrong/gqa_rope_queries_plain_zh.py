# wrong: gqa-rope rope-not-on-queries line 25
# fair: rope-not-on-queries 34
import torch
import torch.nn as nn


class GQAWithRoPE(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.h, self.g, self.base = num_heads, num_kv_heads, base
        self.d = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, self.g * self.d)
        self.v_proj = nn.Linear(hidden_dim, self.g * self.d)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def 转(self, x, 位置):
        频率 = self.base ** (-torch.arange(0, self.d, 2, device=x.device, dtype=x.dtype) / self.d)
        角 = 位置.to(x.dtype)[:, None] * 频率
        左, 右 = x.chunk(2, -1)
        return torch.cat([左 * 角.cos() - 右 * 角.sin(), 右 * 角.cos() + 左 * 角.sin()], -1)

    def forward(self, x, cache=None):
        b, t, e = x.shape
        q = self.q_proj(x).view(b, t, self.h, self.d).transpose(1, 2)
        k = self.k_proj(x).view(b, t, self.g, self.d).transpose(1, 2)
        v = self.v_proj(x).view(b, t, self.g, self.d).transpose(1, 2)
        已有 = 0 if cache is None else cache["k"].shape[2]
        k = self.转(k, torch.arange(已有, 已有 + t, device=x.device))  # 只想着缓存里的 key
        if cache is not None:
            k = torch.cat([cache["k"], k], 2)
            v = torch.cat([cache["v"], v], 2)
        n = self.h // self.g
        分数 = q @ k.repeat_interleave(n, 1).transpose(2, 3) / self.d**0.5
        看得见 = torch.ones(t, 已有 + t, device=x.device).tril(已有).bool()
        权重 = 分数.masked_fill(~看得见, -torch.inf).softmax(-1)
        y = 权重 @ v.repeat_interleave(n, 1)
        return self.o_proj(y.transpose(1, 2).reshape(b, t, e)), {"k": k, "v": v}
