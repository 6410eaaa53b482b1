import math

import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    # cache 是一个三元组：源序列的 key、value，以及每条源序列的有效长度
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, memory, memory_lengths, cache=None):
        B, T, _ = x.shape
        q = self.wq(x).view(B, T, self.num_heads, self.head_dim).permute(0, 2, 1, 3)

        # 第一次调用：算出 memory 的 key 和 value；之后都从 cache 里取
        if cache is None:
            k = self.wk(memory)
            v = self.wv(memory)
            k = k.view(B, -1, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
            v = v.view(B, -1, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
            cache = (k, v, memory_lengths)
        k, v, changdu = cache

        # 注意力分数，(B, 头数, T, S)
        fenshu = torch.matmul(q, k.transpose(-2, -1))
        fenshu = fenshu / math.sqrt(self.head_dim)

        # 填充的位置不参与
        weizhi = torch.arange(k.shape[2], device=x.device)
        tianchong = weizhi.view(1, 1, 1, -1) >= changdu.view(B, 1, 1, 1)
        fenshu = fenshu.masked_fill(tianchong, float("-inf"))

        quanzhong = torch.softmax(fenshu, dim=-1)
        jieguo = torch.matmul(quanzhong, v)
        jieguo = jieguo.permute(0, 2, 1, 3).reshape(B, T, -1)
        return self.wo(jieguo), cache
