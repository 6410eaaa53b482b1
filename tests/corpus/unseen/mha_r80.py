import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, d_in, d_head, p):
        super().__init__()
        self.q = nn.Linear(d_in, d_head, bias=False)
        self.k = nn.Linear(d_in, d_head, bias=False)
        self.v = nn.Linear(d_in, d_head, bias=False)
        self.drop = nn.Dropout(p)

    def forward(self, x, mask):
        q, k, v = self.q(x), self.k(x), self.v(x)
        score = q @ k.transpose(1, 2) * k.shape[-1] ** -0.5
        if mask is not None:
            score = score.masked_fill(mask == 0, float("-inf"))
        return self.drop(score.softmax(-1)) @ v


class MultiHeadAttention(nn.Module):
    """Concat followed by Wo is a sum of one small projection per head."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        d_head = hidden_dim // num_heads
        self.heads = nn.ModuleList([Head(hidden_dim, d_head, dropout) for _ in range(num_heads)])
        self.outs = nn.ModuleList([nn.Linear(d_head, hidden_dim, bias=False) for _ in range(num_heads)])
        self.bias = nn.Parameter(torch.zeros(hidden_dim))

    def forward(self, x, attention_mask=None):
        total = self.bias
        for i, (head, out) in enumerate(zip(self.heads, self.outs)):
            m = None
            if attention_mask is not None:
                # mask may have a heads axis of one
                m = attention_mask[:, i if attention_mask.shape[1] > 1 else 0]
            total = total + out(head(x, m))
        return total
