# weight-normed projections (as in old ConvS2S / WaveNet code), direction and length kept apart
import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.shape = (num_heads, hidden_dim // num_heads)
        self.q, self.k, self.v = (weight_norm(nn.Linear(hidden_dim, hidden_dim)) for _ in range(3))
        self.o = weight_norm(nn.Linear(hidden_dim, hidden_dim), dim=None)
        self.drop = nn.Dropout(dropout)

    def in_heads(self, t):
        return t.unflatten(-1, self.shape).movedim(-2, 1)

    def mix(self, logits, v):
        return self.drop(torch.softmax(logits, -1)).matmul(v)

    def forward(self, x, attention_mask=None):
        q, k, v = self.in_heads(self.q(x)), self.in_heads(self.k(x)), self.in_heads(self.v(x))
        logits = torch.matmul(q, k.mT).div(q.size(-1) ** 0.5)
        if attention_mask is None:
            y = self.mix(logits, v)
        else:
            hidden = torch.logical_not(attention_mask)         # of bools, of integers and of floats
            y = self.mix(logits.masked_fill(hidden, torch.finfo(logits.dtype).min), v)
        return self.o(y.movedim(1, -2).flatten(-2))
