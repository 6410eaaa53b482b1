# wrong: mha parameters-not-registered line 13
# fair: parameters-not-registered 13 14 15
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        d_head = d_model // num_heads
        self.scale = d_head ** -0.5
        self.q = [nn.Linear(d_model, d_head) for _ in range(num_heads)]
        self.k = [nn.Linear(d_model, d_head) for _ in range(num_heads)]
        self.v = [nn.Linear(d_model, d_head) for _ in range(num_heads)]
        self.out = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q = torch.stack([f(x) for f in self.q], dim=1)
        k = torch.stack([f(x) for f in self.k], dim=1)
        v = torch.stack([f(x) for f in self.v], dim=1)
        w = q @ k.transpose(-2, -1) * self.scale
        if attention_mask is not None:
            w = w.masked_fill(attention_mask == 0, -1e9)
        w = self.dropout(w.softmax(dim=-1))
        y = w @ v
        return self.out(torch.cat(y.unbind(dim=1), dim=-1))
