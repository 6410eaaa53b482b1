import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.empty(num_heads).normal_(std=0.02))

    def forward(self, hidden_states):
        B, T, _ = hidden_states.shape
        shape = (B, T, -1, self.head_dim)
        q = self.q_proj(hidden_states).view(shape).transpose(1, 2)
        k = self.k_proj(hidden_states).view(shape).transpose(1, 2)
        v = self.v_proj(hidden_states).view(shape).transpose(1, 2)
        attn_weights = torch.matmul(q, k.transpose(2, 3)) * self.head_dim**-0.5
        causal = torch.full((T, T), torch.finfo(attn_weights.dtype).min, device=q.device, dtype=q.dtype).triu(1)
        attn_weights = attn_weights + causal
        sinks = self.sinks.reshape(1, -1, 1, 1).expand(B, -1, T, -1)
        combined = torch.cat([attn_weights, sinks], dim=-1)
        combined = combined - combined.max(dim=-1, keepdim=True).values
        probs = F.softmax(combined, dim=-1, dtype=combined.dtype)
        scores = probs[..., :-1]
        out = torch.matmul(scores, v).transpose(1, 2).contiguous()
        return self.o_proj(out.reshape(B, T, -1))
