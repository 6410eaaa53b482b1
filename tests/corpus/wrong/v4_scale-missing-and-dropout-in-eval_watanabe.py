# wrong: v4 scale-missing line 18, dropout-in-eval line 21
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.rate = dropout

    def forward(self, x, attention_mask=None):
        q, k, v = self.q(x), self.k(x), self.v(x)
        # スケールなし
        s = q @ k.transpose(-2, -1)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        w = F.dropout(s.softmax(-1), p=self.rate, training=True)
        return w @ v
