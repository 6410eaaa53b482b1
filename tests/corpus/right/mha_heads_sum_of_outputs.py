# right: mha remarks: fill-overflows-half
# concat-then-project is the same as projecting every head and adding up
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        d = hidden_dim // num_heads
        self.heads = nn.ModuleList(
            nn.ModuleDict(
                dict(
                    q=nn.Linear(hidden_dim, d, bias=False),
                    k=nn.Linear(hidden_dim, d, bias=False),
                    v=nn.Linear(hidden_dim, d, bias=False),
                    o=nn.Linear(d, hidden_dim, bias=False),
                )
            )
            for _ in range(num_heads)
        )
        self.bias = nn.Parameter(torch.zeros(hidden_dim))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        total = self.bias
        for i, head in enumerate(self.heads):
            q, k, v = head["q"](x), head["k"](x), head["v"](x)
            s = q @ k.mT / k.shape[-1] ** 0.5
            if attention_mask is not None:
                j = min(i, attention_mask.shape[1] - 1)
                s = s.masked_fill(attention_mask[:, j] == 0, -1e9)
            total = total + head["o"](self.dropout(s.softmax(-1)) @ v)
        return total
