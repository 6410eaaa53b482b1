import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    """softmax(QK^T / sqrt(d)) V"""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleDict()
        for name in ['q', 'k', 'v', 'o']:
            self.layers[name] = nn.Linear(hidden_dim, hidden_dim)
        self.softmax = nn.Softmax(dim=1)
        self.dropout = nn.Dropout(dropout)
        self.scale = hidden_dim ** 0.5

    def project(self, x):
        return self.layers['q'](x), self.layers['k'](x), self.layers['v'](x)

    def score(self, q, k, mask):
        e = torch.bmm(q, k.permute(0, 2, 1)) / self.scale
        if mask is not None:
            e = e.masked_fill(~mask.bool(), torch.finfo(e.dtype).min)
        return e

    def forward(self, x, attention_mask=None):
        q, k, v = self.project(x)
        e = self.score(q, k, attention_mask)
        a = self.dropout(self.softmax(e))
        return self.layers['o'](torch.bmm(a, v))
