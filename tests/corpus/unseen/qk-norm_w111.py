import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class QKNormAttention(nn.Module):
    """Qwen3-style attention, without the rotary part."""

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
        hidden_shape = (*x.shape[:-1], self.num_heads, self.head_dim)
        query_states = self.q_norm(self.q_proj(x).view(hidden_shape)).transpose(1, 2)
        key_states = self.k_norm(self.k_proj(x).view(hidden_shape)).transpose(1, 2)
        value_states = self.v_proj(x).view(hidden_shape).transpose(1, 2)

        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) / math.sqrt(self.head_dim)
        length = x.shape[1]
        causal_mask = torch.full((length, length), float("-inf"), dtype=x.dtype, device=x.device).triu(1)
        attn_weights = F.softmax(attn_weights + causal_mask, dim=-1)
        attn_output = torch.matmul(attn_weights, value_states)
        return self.o_proj(attn_output.transpose(1, 2).reshape(x.shape))
