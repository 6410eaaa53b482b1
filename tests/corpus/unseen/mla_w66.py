import math

import torch
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    """多头潜在注意力（MLA），缓存里只放潜变量和共享的旋转 key"""

    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        # 查询：内容部分和旋转部分分开写，比较清楚
        self.w_qc = nn.Linear(hidden_dim, num_heads * head_dim, bias=False)
        self.w_qr = nn.Linear(hidden_dim, num_heads * rope_dim, bias=False)
        # 下投影得到潜变量 c，所有头共用
        self.w_dkv = nn.Linear(hidden_dim, latent_dim, bias=False)
        # 旋转 key，所有头共用一个
        self.w_kr = nn.Linear(hidden_dim, rope_dim, bias=False)
        # 上投影
        self.w_uk = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.w_uv = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.w_o = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def rotate(self, t, positions):
        # t: (..., 长度, rope_dim)，把前一半和后一半配成一对来旋转
        # 角度用 float32 以上的精度计算
        dtype = torch.promote_types(t.dtype, torch.float32)
        half = self.rope_dim // 2
        i = torch.arange(half, dtype=dtype, device=t.device)
        inv_freq = torch.pow(10000.0, -i / self.rope_dim)
        angle = positions.to(dtype).unsqueeze(1) * inv_freq.unsqueeze(0)
        cos, sin = angle.cos(), angle.sin()
        first, second = t[..., :half].to(dtype), t[..., half:].to(dtype)
        rotated = torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)
        return rotated.to(t.dtype)

    def to_heads(self, t):
        b, l, _ = t.shape
        return t.view(b, l, self.num_heads, -1).transpose(1, 2)

    def forward(self, x, cache=None):
        b, l, _ = x.shape
        # 新位置从缓存结束的地方接着数
        past = 0 if cache is None else cache["c"].shape[1]
        q_pos = torch.arange(past, past + l, device=x.device)

        q_c = self.to_heads(self.w_qc(x))
        q_r = self.rotate(self.to_heads(self.w_qr(x)), q_pos)
        c = self.w_dkv(x)
        k_r = self.rotate(self.w_kr(x), q_pos)  # 先旋转，再放进缓存
        if cache is not None:
            c = torch.cat([cache["c"], c], dim=1)
            k_r = torch.cat([cache["k_r"], k_r], dim=1)
        new_cache = {"c": c, "k_r": k_r}

        k_c, v = self.to_heads(self.w_uk(c)), self.to_heads(self.w_uv(c))
        scores = q_c @ k_c.transpose(-2, -1) + q_r @ k_r.unsqueeze(1).transpose(-2, -1)
        scores = scores / math.sqrt(self.head_dim + self.rope_dim)
        k_pos = torch.arange(past + l, device=x.device)
        scores = scores.masked_fill(k_pos.unsqueeze(0) > q_pos.unsqueeze(1), float("-inf"))
        context = torch.softmax(scores, dim=-1) @ v
        return self.w_o(context.transpose(1, 2).reshape(b, l, -1)), new_cache
