# wrong: mha scale-on-values line 15
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = [p.unflatten(-1, (self.h, -1)).transpose(1, 2) * self.scale for p in self.qkv(x).chunk(3, -1)]
        s = q @ k.mT
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, torch.finfo(s.dtype).min)
        return self.out((self.drop(s.softmax(-1)) @ v).transpose(1, 2).flatten(2))
