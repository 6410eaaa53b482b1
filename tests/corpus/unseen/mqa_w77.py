import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.hidden_size = hidden_dim
        self.query_key_value = nn.Linear(hidden_dim, hidden_dim + 2 * self.head_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)
        self.inv_norm_factor = 1.0 / self.head_dim ** 0.5

    def forward(self, hidden_states, attention_mask=None):
        batch_size, seq_length, _ = hidden_states.shape
        fused_qkv = self.query_key_value(hidden_states)
        query, key, value = fused_qkv.split([self.hidden_size, self.head_dim, self.head_dim], dim=-1)
        query = query.view(batch_size, seq_length, self.num_heads, self.head_dim)

        scores = torch.einsum("bqhd,bkd->bhqk", query, key) * self.inv_norm_factor
        if attention_mask is not None:
            # 1 -> 0, 0 -> very negative
            extended_mask = (1.0 - attention_mask) * torch.finfo(scores.dtype).min
            scores = scores + extended_mask

        probs = scores.softmax(dim=-1)
        context = torch.einsum("bhqk,bkd->bqhd", probs, value)
        return self.dense(context.reshape(batch_size, seq_length, self.hidden_size))
