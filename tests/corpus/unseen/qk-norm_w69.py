import math
import torch
import torch.nn as nn


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.q_norm = nn.RMSNorm(self.head_dim)
        self.k_norm = nn.RMSNorm(self.head_dim)

    def forward(self, x):
        batch, length, hidden = x.shape
        new_shape = (batch, length, self.num_heads, self.head_dim)

        projected_q = self.q_proj(x)
        projected_k = self.k_proj(x)
        projected_v = self.v_proj(x)

        split_q = projected_q.view(new_shape).transpose(1, 2)
        split_k = projected_k.view(new_shape).transpose(1, 2)
        split_v = projected_v.view(new_shape).transpose(1, 2)

        normed_q = self.q_norm(split_q)
        normed_k = self.k_norm(split_k)

        products = normed_q @ normed_k.transpose(2, 3)
        scores = products / math.sqrt(self.head_dim)
        causal_mask = torch.triu(torch.ones(length, length, device=x.device), diagonal=1).bool()
        masked_scores = scores.masked_fill(causal_mask, -math.inf)
        attention_weights = masked_scores.softmax(dim=-1)

        context = attention_weights @ split_v
        merged = context.transpose(1, 2).contiguous().view(batch, length, hidden)
        result = self.o_proj(merged)
        return result
