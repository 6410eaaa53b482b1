import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    """单头自注意力，q k v 用一个线性层一起算"""

    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv_proj = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)

    # 计算分数 (B, L, L)
    def compute_scores(q, k):
        return torch.bmm(q, k.transpose(1, 2)) / (self.hidden_dim ** 0.5)

    def forward(self, x):
        # 切成三份
        q, k, v = torch.chunk(self.qkv_proj(x), 3, dim=-1)
        scores = self.compute_scores(q, k)
        weights = torch.softmax(scores, dim=-1)  # 对 key 归一化
        out = torch.bmm(weights, v)
        return out
