# wrong: v4 dropout-on-output line 20
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
        s = torch.bmm(self.q(x), self.k(x).transpose(2, 1)) / x.size(-1) ** 0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        # dropout na wyjściu zamiast na wagach
        y = torch.bmm(torch.softmax(s, dim=2), self.v(x))
        return self.dropout(y)
