# 文本分类：自己写的 GPT 主体。先把真实词元挤到左边，再按普通因果注意力计算
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class 主体层(nn.Module):
    def __init__(self, 宽: int, 头: int) -> None:
        super().__init__()
        self.头 = 头
        self.前归一, self.后归一 = nn.LayerNorm(宽), nn.LayerNorm(宽)
        self.qkv, self.出 = nn.Linear(宽, 3 * 宽), nn.Linear(宽, 宽)
        self.mlp = nn.Sequential(nn.Linear(宽, 4 * 宽), nn.GELU(), nn.Linear(4 * 宽, 宽))

    def forward(self, x: Tensor) -> Tensor:
        长 = x.shape[1]
        q, k, v = (
            t.unflatten(-1, (self.头, -1)).transpose(1, 2)
            for t in self.qkv(self.前归一(x)).chunk(3, dim=-1)
        )
        分 = q @ k.mT * q.shape[-1] ** -0.5
        未来 = torch.ones(长, 长, device=x.device, dtype=torch.bool).triu(1)
        和 = 分.masked_fill(未来, float("-inf")).softmax(-1) @ v
        x = x + self.出(和.transpose(1, 2).flatten(2))
        return x + self.mlp(self.后归一(x))


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        self.词 = nn.Embedding(vocab_size, hidden_dim)
        self.位 = nn.Embedding(block_size, hidden_dim)
        self.层 = nn.Sequential(*[主体层(hidden_dim, num_heads) for _ in range(num_layers)])
        self.末 = nn.LayerNorm(hidden_dim)
        self.类 = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        真 = mask.bool()
        # 稳定排序：真实词元保持次序排到前面，填充落在后面，因果掩码自然看不到它
        次序 = (~真).int().argsort(dim=1, stable=True)
        左排 = tokens.gather(1, 次序)
        数 = 真.sum(dim=1, keepdim=True)
        位置 = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.末(self.层(self.词(左排) + self.位(位置)))
        有效 = (位置 < 数).unsqueeze(-1)
        均值 = x.masked_fill(有效.logical_not(), 0).sum(1) / 数.to(x.dtype)
        return self.类(均值)
