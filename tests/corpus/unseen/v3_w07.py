import torch
import torch.nn as nn

NEG = float('-inf')

class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wkv = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)
        self.p = dropout
        self.d = hidden_dim

    def forward(self, x, attention_mask=None):
        q = self.Wq(x) / self.d ** .5
        k, v = self.Wkv(x).split([self.d, self.d], -1)
        w = q @ k.transpose(-2, -1)
        if attention_mask is not None:
            allow = attention_mask[0].bool()   # (T, T)
            w = torch.where(allow, w, torch.full_like(w, NEG))
        w = w.softmax(dim=-1)
        w = nn.functional.dropout(w, self.p, self.training)
        return self.Wo(w @ v)
