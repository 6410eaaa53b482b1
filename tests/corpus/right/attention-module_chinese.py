# right: attention-module
import math

import torch
import torch.nn as nn


class MultiheadAttention(nn.Module):
    """多头注意力：mask 里 True 表示遮住。"""

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.头数 = num_heads
        self.每头 = embed_dim // num_heads
        self.查询 = nn.Linear(embed_dim, embed_dim, bias)
        self.键 = nn.Linear(embed_dim, embed_dim, bias)
        self.值 = nn.Linear(embed_dim, embed_dim, bias)
        self.输出 = nn.Linear(embed_dim, embed_dim, bias)
        self.丢弃 = nn.Dropout(dropout)

    def 拆头(self, x):
        b, t, _ = x.shape
        return x.reshape(b, t, self.头数, self.每头).permute(0, 2, 1, 3)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        q, k, v = self.拆头(self.查询(query)), self.拆头(self.键(key)), self.拆头(self.值(value))
        b, h, t, _ = q.shape
        s = k.shape[2]
        分数 = torch.matmul(q, k.permute(0, 1, 3, 2)) / math.sqrt(self.每头)

        # 先把 bool 合成一张表，浮点另外加
        遮住 = torch.zeros(b, h, t, s, dtype=torch.bool, device=分数.device)
        if key_padding_mask is not None:
            遮住 = 遮住 | key_padding_mask[:, None, None, :]
        if attn_mask is not None:
            表 = attn_mask if attn_mask.dim() == 2 else attn_mask.view(b, h, t, s)
            if 表.dtype == torch.bool:
                遮住 = 遮住 | 表
            else:
                分数 = 分数 + 表
        分数 = 分数.masked_fill(遮住, float("-inf"))

        最大 = 分数.amax(-1, keepdim=True).clamp_min(torch.finfo(分数.dtype).min)
        指数 = (分数 - 最大).exp()
        权重 = 指数 / 指数.sum(-1, keepdim=True)
        上下文 = torch.matmul(self.丢弃(权重), v)
        结果 = self.输出(上下文.permute(0, 2, 1, 3).reshape(b, t, h * self.每头))
        if not need_weights:
            return 结果, None
        return 结果, (权重.sum(1) / h if average_attn_weights else 权重)
