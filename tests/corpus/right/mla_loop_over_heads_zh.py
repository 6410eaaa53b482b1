# right: mla
"""逐个 head 计算：每个 head 有自己的升维矩阵，潜向量和旋转 key 大家共用。"""
import math

import torch
import torch.nn as nn


class Head(nn.Module):
    def __init__(self, hidden_dim, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.q_nope = nn.Linear(hidden_dim, head_dim)
        self.q_rope = nn.Linear(hidden_dim, rope_dim)
        self.k_up = nn.Linear(latent_dim, head_dim)
        self.v_up = nn.Linear(latent_dim, head_dim)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.scale = 1 / math.sqrt(head_dim + rope_dim)
        self.rope_dim = rope_dim
        self.kv_down = nn.Linear(hidden_dim, latent_dim)   # 压缩成潜向量
        self.k_rope = nn.Linear(hidden_dim, rope_dim)      # 所有 head 共用
        self.heads = nn.ModuleList(
            [Head(hidden_dim, head_dim, rope_dim, latent_dim) for _ in range(num_heads)]
        )
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)

    def tables(self, start, length, device):
        freq = torch.tensor([10000 ** (-2 * i / self.rope_dim) for i in range(self.rope_dim // 2)])
        pos = torch.arange(start, start + length).float()
        ang = torch.outer(pos, freq).to(device)
        ang = torch.cat([ang, ang], dim=-1)                # 前后两半用同一组角度
        return ang.cos(), ang.sin()

    def turn(self, x, cos, sin):
        half = self.rope_dim // 2
        other = torch.cat([-x[..., half:], x[..., :half]], dim=-1)
        return (x * cos + other * sin).to(x.dtype)

    def forward(self, x, cache=None):
        length = x.size(1)
        start = 0 if cache is None else cache["latent"].size(1)
        cos, sin = self.tables(start, length, x.device)
        latent = self.kv_down(x)
        key_pos = self.turn(self.k_rope(x), cos, sin)
        if cache is not None:
            latent = torch.cat([cache["latent"], latent], dim=1)
            key_pos = torch.cat([cache["key"], key_pos], dim=1)
        total = latent.size(1)
        future = torch.arange(total, device=x.device)[None, :] > torch.arange(
            start, total, device=x.device
        )[:, None]
        outs = []
        for head in self.heads:
            s = head.q_nope(x) @ head.k_up(latent).transpose(1, 2)
            s = s + self.turn(head.q_rope(x), cos, sin) @ key_pos.transpose(1, 2)
            w = (s * self.scale).masked_fill(future, float("-inf")).softmax(-1)
            outs.append(w @ head.v_up(latent))
        return self.out(torch.cat(outs, dim=-1)), {"latent": latent, "key": key_pos}
