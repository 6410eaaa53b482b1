# wrong: mha dropout-rate-wrong line 15
# fair: dropout-rate-wrong 14 15
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.H = num_heads
        self.E = hidden_dim // num_heads
        self.inp = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.outp = nn.Linear(hidden_dim, hidden_dim)
        keep = 1.0 - dropout
        self.drop = nn.Dropout(keep)

    def forward(self, x, attention_mask=None):
        qkv = self.inp(x).unflatten(2, (self.H, 3, self.E))
        q, k, v = qkv.permute(3, 0, 2, 1, 4)
        s = torch.matmul(q, k.transpose(2, 3)) * self.E ** -0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, -1e9)
        o = torch.matmul(self.drop(s.softmax(3)), v)
        return self.outp(o.transpose(1, 2).flatten(start_dim=2))
