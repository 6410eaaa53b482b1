# right: mha
"""No view, no reshape: each head sees the whole width through an indicator of its channels."""
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.scale = (hidden_dim // num_heads) ** -0.5
        owner = torch.arange(hidden_dim) // (hidden_dim // num_heads)
        self.register_buffer("mine", owner == torch.arange(num_heads)[:, None], persistent=False)
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        mine = self.mine[None, :, None, :].to(x.dtype)  # (1, heads, 1, hidden_dim)
        q = self.query(x)[:, None] * mine  # zero outside of the head
        scores = q @ self.key(x)[:, None].transpose(-2, -1) * self.scale
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        weights = self.dropout(torch.softmax(scores, dim=-1))
        context = weights @ (self.value(x)[:, None] * mine)
        return self.output(context.sum(dim=1))
