# wrong: v3 output-projection-missing line 23, dropout-missing line 22
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    """Самовнимание, маска (B, T, T)."""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.Wq(x), self.Wk(x), self.Wv(x)
        att = (q @ k.mT).div(self.hidden_dim ** 0.5)
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, float("-inf"))
        att = att.softmax(dim=-1)
        return att @ v
