import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    """Port of my Keras layer."""

    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        assert num_heads % num_kv_heads == 0
        self.num_heads = num_heads
        self.num_groups = num_heads // num_kv_heads
        self.d_model = hidden_dim
        self.depth = hidden_dim // num_heads

        self.dense_q = nn.Linear(hidden_dim, num_heads * self.depth)
        self.dense_k = nn.Linear(hidden_dim, self.num_groups * self.depth)
        self.dense_v = nn.Linear(hidden_dim, self.num_groups * self.depth)
        self.dense_out = nn.Linear(hidden_dim, hidden_dim)

    def split_heads(self, t, heads):
        t = torch.reshape(t, (t.shape[0], -1, heads, self.depth))
        return torch.permute(t, (0, 2, 1, 3))

    def forward(self, x, attention_mask=None):
        batch_size = x.shape[0]
        query = self.split_heads(self.dense_q(x), self.num_heads)
        key = self.split_heads(self.dense_k(x), self.num_groups)
        value = self.split_heads(self.dense_v(x), self.num_groups)

        repeats = self.num_heads // self.num_groups
        key = torch.repeat_interleave(key, repeats, dim=1)
        value = torch.repeat_interleave(value, repeats, dim=1)

        logits = torch.matmul(query, torch.permute(key, (0, 1, 3, 2)))
        logits = logits / self.depth**0.5
        if attention_mask is not None:
            logits = logits.masked_fill(torch.eq(attention_mask, 0), -torch.inf)

        weights = torch.softmax(logits, dim=-1)
        output = torch.matmul(weights, value)
        output = torch.permute(output, (0, 2, 1, 3))
        concat = torch.reshape(output, (batch_size, -1, self.d_model))
        return self.dense_out(concat)
