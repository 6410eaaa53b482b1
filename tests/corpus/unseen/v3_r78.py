import torch
from torch import nn


class 线性(nn.Module):
    def __init__(self, 维):
        super().__init__()
        self.矩阵 = nn.Parameter(torch.randn(维, 维) / 维**0.5)   # 输入 × 输出
        self.偏 = nn.Parameter(torch.zeros(1, 1, 维))

    def forward(self, 输入):
        return torch.matmul(输入, self.矩阵) + self.偏


class SelfAttentionV3(nn.Module):
    """单头自注意力: 掩码 1 = 可以看, 0 = 不可以看。"""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.维度 = hidden_dim
        self.值, self.键, self.问, self.出 = (线性(hidden_dim) for _ in range(4))
        self.丢弃 = nn.Dropout(p=dropout)

    def 权重(self, 分数, 掩码):
        if 掩码 is not None:
            分数 = torch.where(掩码 != 0, 分数, torch.full_like(分数, torch.finfo(分数.dtype).min))
        宽 = 分数.to(torch.promote_types(分数.dtype, torch.float32))
        对数和 = torch.logsumexp(宽, dim=-1, keepdim=True)
        return torch.exp(宽 - 对数和).to(分数.dtype)

    def forward(self, x, attention_mask=None):
        问, 键, 值 = self.问(x), self.键(x), self.值(x)
        分数 = torch.einsum("批甲维,批乙维->批甲乙".translate(str.maketrans("批甲乙维", "bijd")), 问, 键)
        权重 = self.丢弃(self.权重(分数 / self.维度**0.5, attention_mask))
        return self.出(权重 @ 值)
