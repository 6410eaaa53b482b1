import torch
from torch import nn


class SinkAttention(nn.Module):
    """query_key_value as in GPT-NeoX and BLOOM: for each head its q, k, v one after the other."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_attention_heads = num_heads
        self.head_size = hidden_dim // num_heads
        self.query_key_value = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)
        self.attn_bias = nn.Parameter(torch.zeros(1, num_heads, 1, 1))

    def forward(self, hidden_states):
        n, t, e = hidden_states.shape
        fused = self.query_key_value(hidden_states)
        fused = fused.view(n, t, self.num_attention_heads, 3 * self.head_size).transpose(1, 2)
        query, key, value = fused.split(self.head_size, dim=-1)
        scores = torch.matmul(query, key.transpose(2, 3)) * self.head_size**-0.5
        causal = torch.ones((t, t), dtype=torch.bool, device=scores.device).tril()
        scores = scores.masked_fill(causal.logical_not(), torch.finfo(scores.dtype).min)
        combined = torch.cat([scores, self.attn_bias.expand(n, -1, t, 1)], dim=-1)
        combined = combined - combined.max(dim=-1, keepdim=True).values
        probs = combined.softmax(dim=-1)[..., :-1]
        context = (probs @ value).transpose(1, 2).reshape(n, t, e)
        return self.dense(context)
