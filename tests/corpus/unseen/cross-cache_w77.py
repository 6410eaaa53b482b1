import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)

    def transpose_for_scores(self, t):
        return t.view(*t.shape[:-1], self.num_heads, self.head_dim).permute(0, 2, 1, 3)

    def forward(self, x, memory, memory_lengths, cache=None):
        query_layer = self.transpose_for_scores(self.query(x))
        if cache is None:
            key_layer = self.transpose_for_scores(self.key(memory))
            value_layer = self.transpose_for_scores(self.value(memory))
            steps = torch.arange(memory.shape[1], device=memory.device)
            mask = steps.unsqueeze(0) < memory_lengths.unsqueeze(1)
        else:
            key_layer, value_layer, mask = cache
            key_layer = torch.cat([key_layer, self.transpose_for_scores(self.key(memory))], dim=2)
            value_layer = torch.cat([value_layer, self.transpose_for_scores(self.value(memory))], dim=2)
            steps = torch.arange(memory.shape[1], device=memory.device)
            mask = torch.cat([mask, steps.unsqueeze(0) < memory_lengths.unsqueeze(1)], dim=1)
        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / self.head_dim**0.5
        attention_scores = attention_scores.masked_fill(mask[:, None, None, :].logical_not(), float("-inf"))
        attention_probs = nn.functional.softmax(attention_scores, dim=-1)
        context_layer = torch.matmul(attention_probs, value_layer)
        context_layer = context_layer.permute(0, 2, 1, 3).contiguous().flatten(2)
        return self.dense(context_layer), (key_layer, value_layer, mask)
