import torch
import torch.nn as nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int):
        super().__init__()
        assert hidden_dim % num_heads == 0
        assert num_heads % num_kv_heads == 0
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.queries = nn.ModuleList(
            [nn.Linear(hidden_dim, self.head_dim) for _ in range(num_heads)]
        )
        self.keys = nn.ModuleList(
            [nn.Linear(hidden_dim, self.head_dim) for _ in range(num_kv_heads)]
        )
        self.values = nn.ModuleList(
            [nn.Linear(hidden_dim, self.head_dim) for _ in range(num_kv_heads)]
        )
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        batch, length, _ = x.shape
        per_group = self.num_heads // self.num_kv_heads
        keys = [layer(x) for layer in self.keys]
        values = [layer(x) for layer in self.values]
        if attention_mask is not None:
            attention_mask = attention_mask.expand(batch, self.num_heads, length, length)
        heads = []
        for i in range(self.num_heads):
            q = self.queries[i](x)
            k = keys[i // per_group]
            v = values[i // per_group]
            score = q @ k.transpose(-2, -1) / self.head_dim**0.5
            if attention_mask is not None:
                score = score.masked_fill(
                    attention_mask[:, i] == 0,
                    -1e30 if score.dtype not in (torch.float16,) else -6e4,
                )
            heads.append(score.softmax(dim=-1) @ v)
        return self.output(torch.cat(heads, dim=-1))
