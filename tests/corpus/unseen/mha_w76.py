# attn-kata: mha
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.d = hidden_dim // num_heads
        self.qkv = nn.ModuleList([nn.Linear(hidden_dim, 3 * self.d)] * num_heads)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = torch.stack([f(x) for f in self.qkv], dim=1).split(self.d, dim=-1)
        s = q @ k.mT * self.d ** -0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, torch.finfo(s.dtype).min)
        y = self.drop(s.softmax(dim=-1)) @ v
        return self.out(torch.cat(y.unbind(dim=1), dim=-1))
