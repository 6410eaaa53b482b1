# right: cross-cache
import math
import torch
import torch.nn as nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, memory, memory_lengths, cache=None):
        B, T, E = x.size()
        # 第一步：投影编码器输出并存起来；之后直接取
        if cache is not None:
            K, V, 遮罩 = cache
        else:
            S = memory.size(1)
            K = self.Wk(memory).view(B, S, self.h, self.d).transpose(1, 2)
            V = self.Wv(memory).view(B, S, self.h, self.d).transpose(1, 2)
            位置 = torch.arange(S, device=x.device).unsqueeze(0)
            遮罩 = (位置 >= memory_lengths.unsqueeze(1)).view(B, 1, 1, S)
        Q = self.Wq(x).view(B, T, self.h, self.d).transpose(1, 2)
        分数 = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(self.d)
        分数 = 分数.masked_fill(遮罩, torch.finfo(分数.dtype).min)
        权重 = torch.softmax(分数, dim=-1)
        结果 = torch.matmul(权重, V).transpose(1, 2).contiguous().view(B, T, E)
        return self.Wo(结果), (K, V, 遮罩)
