# wrong: causal causal-sees-next line 14, heads-merge-wrong-axes line 26
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        seen = torch.ones(block_size, block_size, dtype=torch.bool).tril(1)
        self.register_buffer("seen", seen, persistent=False)

    def forward(self, x):
        batch, length, width = x.shape
        split = (batch, length, self.num_heads, width // self.num_heads)
        query, key, value = (
            layer(x).view(split).transpose(1, 2) for layer in (self.query, self.key, self.value)
        )
        scores = query @ key.transpose(-1, -2) / split[-1] ** 0.5
        scores = scores.masked_fill(~self.seen[:length, :length], torch.finfo(scores.dtype).min)
        context = scores.softmax(dim=-1) @ value
        merged = context.permute(0, 2, 3, 1).reshape(batch, length, width)
        return self.output(merged)
