import math

import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    """带 KV 缓存的多头因果自注意力"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_linear = nn.Linear(hidden_dim, hidden_dim)
        self.k_linear = nn.Linear(hidden_dim, hidden_dim)
        self.v_linear = nn.Linear(hidden_dim, hidden_dim)
        self.out_linear = nn.Linear(hidden_dim, hidden_dim)

    def split_heads(self, t):
        # (批, 长度, 隐藏维) -> (批, 头数, 长度, 头维度)
        batch, length, _ = t.shape
        return t.view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, cache=None):
        batch, length, hidden = x.shape
        q = self.split_heads(self.q_linear(x))
        k = self.split_heads(self.k_linear(x))
        v = self.split_heads(self.v_linear(x))

        # 如果有缓存，把旧的 key/value 拼在前面
        if cache is not None:
            k = torch.cat([cache["k"], k], dim=2)
            v = torch.cat([cache["v"], v], dim=2)
        # 新缓存：一个全新的字典，不改动旧的；
        # 不保留计算图，不然生成很长的时候显存会一直涨
        new_cache = {"k": k.detach(), "v": v.detach()}

        # 查询的位置从 total - length 开始
        total = new_cache["k"].shape[2]
        q_pos = torch.arange(total - length, total, device=x.device).unsqueeze(1)
        k_pos = torch.arange(total, device=x.device).unsqueeze(0)

        scores = torch.matmul(q, new_cache["k"].transpose(-2, -1)) / math.sqrt(self.head_dim)
        scores = scores.masked_fill(k_pos > q_pos, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        context = torch.matmul(weights, new_cache["v"])

        # 合并各个头
        context = context.transpose(1, 2).reshape(batch, length, hidden)
        return self.out_linear(context), new_cache
