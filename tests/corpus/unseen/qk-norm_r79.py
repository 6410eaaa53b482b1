import torch
from torch import nn


class QKNormAttention(nn.Module):
    """查询和键先分头，再逐头做 RMSNorm；值不做。"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        head_dim = hidden_dim // num_heads

        def 分支(*后续):
            # 投影 → 分头 → （可选）归一化
            return nn.Sequential(
                nn.Linear(hidden_dim, hidden_dim), nn.Unflatten(-1, (num_heads, head_dim)), *后续
            )

        self.查询 = 分支(nn.RMSNorm(head_dim, eps=1e-6))
        self.键 = 分支(nn.RMSNorm(head_dim, eps=1e-6))
        self.值 = 分支()
        self.合并 = nn.Sequential(nn.Flatten(start_dim=2), nn.Linear(hidden_dim, hidden_dim))
        self.缩放 = head_dim ** -0.5

    def forward(self, x):
        q, k, v = (分支(x).movedim(1, 2) for 分支 in (self.查询, self.键, self.值))
        分数 = (q @ k.mT) * self.缩放
        过去 = torch.ones_like(分数, dtype=torch.bool).tril()
        权重 = torch.where(过去, 分数, float("-inf")).softmax(-1)
        return self.合并((权重 @ v).movedim(2, 1))
