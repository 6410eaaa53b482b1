# 多头潜在注意力（MLA），缓存为元组 (潜向量, 旋转键)
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


def 旋转(t: Tensor, 起点: int) -> Tensor:
    长, 宽 = t.shape[-2], t.shape[-1]
    位置 = torch.arange(起点, 起点 + 长, device=t.device).float()
    频率 = 10000.0 ** (-torch.arange(0, 宽, 2, device=t.device).float() / 宽)
    角 = 位置[:, None] * 频率[None, :]
    c, s = 角.cos().to(t.dtype), 角.sin().to(t.dtype)
    a, b = t[..., : 宽 // 2], t[..., 宽 // 2 :]
    return torch.cat([a * c - b * s, b * c + a * s], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.头数, self.头宽, self.旋宽 = num_heads, head_dim, rope_dim
        self.w_dkv = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.w_kr = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.w_uk = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.w_uv = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.w_q = nn.Linear(hidden_dim, num_heads * head_dim, bias=False)
        self.w_qr = nn.Linear(hidden_dim, num_heads * rope_dim, bias=False)
        self.w_o = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def 分头(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.头数, -1)).transpose(1, 2)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        批, 新长, _ = x.shape
        潜 = self.w_dkv(x)
        键旋 = self.w_kr(x)
        旧长 = 0
        if cache is not None:
            旧长 = cache[0].size(1)
            潜 = torch.cat([cache[0], 潜], dim=1)
            键旋 = torch.cat([cache[1], 键旋], dim=1)
        键旋 = 旋转(键旋, 0)
        总长 = 旧长 + 新长

        q, k, v = self.分头(self.w_q(x)), self.分头(self.w_uk(潜)), self.分头(self.w_uv(潜))
        q旋 = 旋转(self.分头(self.w_qr(x)), 旧长)
        分数 = q @ k.transpose(-1, -2) + q旋 @ 键旋.unsqueeze(1).transpose(-1, -2)
        分数 = 分数 / math.sqrt(self.头宽 + self.旋宽)
        可见 = torch.ones(新长, 总长, dtype=torch.bool, device=x.device).tril(旧长)
        权重 = 分数.masked_fill(可见.logical_not(), float("-inf")).softmax(dim=-1)
        合并 = (权重 @ v).transpose(1, 2).reshape(批, 新长, -1)
        return self.w_o(合并), (潜, 键旋)
