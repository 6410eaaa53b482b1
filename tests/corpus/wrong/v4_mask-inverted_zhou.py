# wrong: v4 mask-inverted line 25
import math
import torch
import torch.nn as nn


class SelfAttentionInterview(nn.Module):
    def __init__(self, dim: int, dropout_rate: float = 0.1) -> None:
        super().__init__()
        self.dim = dim
        self.query_proj = nn.Linear(dim, dim)
        self.key_proj = nn.Linear(dim, dim)
        self.value_proj = nn.Linear(dim, dim)
        self.attention_drop = nn.Dropout(dropout_rate)

    def forward(self, X, attention_mask=None):
        # X shape is: [batch, seq, dim]
        Q = self.query_proj(X)
        K = self.key_proj(X)
        V = self.value_proj(X)

        attention_weight = Q @ K.transpose(-1, -2) / math.sqrt(self.dim)
        if attention_mask is not None:
            # 给 weight 填充一个极小的值
            attention_weight = attention_weight.masked_fill(attention_mask, float("-1e20"))
        attention_weight = torch.softmax(attention_weight, dim=-1)
        attention_weight = self.attention_drop(attention_weight)
        return attention_weight @ V
