# wrong: mla rope-key-from-latent line 55
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    """多头潜在注意力:cache 里只保存潜向量 c 和一个共享的旋转 key。"""

    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        # 下投影
        self.W_DKV = nn.Linear(hidden_dim, latent_dim)
        # 上投影
        self.W_UK = nn.Linear(latent_dim, num_heads * head_dim)
        self.W_UV = nn.Linear(latent_dim, num_heads * head_dim)
        # 位置部分
        self.W_QR = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.W_KR = nn.Linear(latent_dim, rope_dim)
        # 内容 query 与输出
        self.W_QC = nn.Linear(hidden_dim, num_heads * head_dim)
        self.W_O = nn.Linear(num_heads * head_dim, hidden_dim)

    def rope(self, t: Tensor, start: int) -> Tensor:
        # t: (batch, heads, length, rope_dim)
        half = self.rope_dim // 2
        i = torch.arange(half, dtype=torch.float32, device=t.device)
        freq = 10000 ** (-2 * i / self.rope_dim)
        pos = torch.arange(start, start + t.shape[2], dtype=torch.float32, device=t.device)
        angle = torch.outer(pos, freq)
        cos, sin = torch.cos(angle).to(t.dtype), torch.sin(angle).to(t.dtype)
        t1, t2 = t[..., :half], t[..., half:]
        return torch.cat([t1 * cos - t2 * sin, t2 * cos + t1 * sin], dim=-1)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        batch, length, _ = x.shape
        past = 0 if cache is None else cache[0].shape[1]

        # 1. query
        q_c = self.W_QC(x).view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)
        q_r = self.W_QR(x).view(batch, length, self.num_heads, self.rope_dim).transpose(1, 2)
        q_r = self.rope(q_r, past)

        # 2. 潜向量和旋转 key
        c = self.W_DKV(x)
        k_r = self.rope(self.W_KR(c).unsqueeze(1), past).squeeze(1)
        if cache is not None:
            c = torch.cat([cache[0], c], dim=1)
            k_r = torch.cat([cache[1], k_r], dim=1)
        total = past + length

        # 3. 由潜向量恢复 key 和 value
        k_c = self.W_UK(c).view(batch, total, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.W_UV(c).view(batch, total, self.num_heads, self.head_dim).transpose(1, 2)

        # 4. 打分、掩码、加权
        scores = q_c @ k_c.transpose(-1, -2) + q_r @ k_r.unsqueeze(1).transpose(-1, -2)
        scores = scores / math.sqrt(self.head_dim + self.rope_dim)
        mask = torch.tril(torch.ones(length, total, device=x.device), diagonal=past)
        scores = scores.masked_fill(mask == 0, float("-inf"))
        out = torch.softmax(scores, dim=-1) @ v
        out = out.transpose(1, 2).reshape(batch, length, -1)
        return self.W_O(out), (c, k_r)
