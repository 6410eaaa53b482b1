# wrong: v3 scale-missing line 17, mask-fill-small line 19
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        # 计算注意力分数
        scores = torch.matmul(self.query(x), self.key(x).transpose(-2, -1))
        if attention_mask is not None:
            penalty = (1 - attention_mask.to(scores.dtype)) * -1.0
            scores = scores + penalty
        # softmax 之后再 dropout
        weights = self.dropout(scores.softmax(dim=-1))
        return self.dense(torch.matmul(weights, self.value(x)))
