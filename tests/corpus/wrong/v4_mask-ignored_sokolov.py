# wrong: v4 mask-ignored line 17
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        s = self.q(x) @ self.k(x).transpose(2, 1) / x.size(-1) ** 0.5
        # маска только булева, остальные пропускаем
        if attention_mask is not None and attention_mask.dtype == torch.bool:
            s = s.masked_fill(~attention_mask, float("-inf"))
        return self.dropout(torch.softmax(s, dim=2)) @ self.v(x)
