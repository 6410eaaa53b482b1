import math
import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_attention_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.randn(num_heads))

    def forward(self, x):
        bs, seq, _ = x.shape
        shape = (bs, seq, self.num_attention_heads, self.head_dim)
        query = self.q_proj(x).view(shape).transpose(1, 2)
        key = self.k_proj(x).view(shape).transpose(1, 2)
        value = self.v_proj(x).view(shape).transpose(1, 2)
        attn_weights = torch.matmul(query, key.transpose(2, 3))
        future = torch.ones(seq, seq, device=x.device, dtype=torch.bool).triu(diagonal=1)
        attn_weights = attn_weights.masked_fill(future, -math.inf)
        sinks = self.sinks.reshape(1, -1, 1, 1).expand(bs, -1, seq, -1)
        combined_logits = torch.cat([attn_weights, sinks], dim=-1)
        combined_logits = combined_logits / math.sqrt(self.head_dim)
        probs = torch.softmax(combined_logits, dim=-1)
        scores = probs[..., :-1]
        attn_output = torch.matmul(scores, value).transpose(1, 2).reshape(bs, seq, -1)
        return self.o_proj(attn_output)
