# attn-kata: sinks
import torch
import torch.nn.functional as F
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.randn(num_heads))

    def _with_sinks(self, attn_weights):
        b, h, n, _ = attn_weights.shape
        sinks = self.sinks.view(1, h, 1, 1).expand(b, h, n, 1).to(attn_weights.dtype)
        combined = torch.cat([sinks, attn_weights], dim=-1)
        combined = combined - combined.max(dim=-1, keepdim=True).values
        return F.softmax(combined, dim=-1)

    def forward(self, x):
        b, n, _ = x.shape
        shape = (b, n, self.num_heads, self.head_dim)
        q = self.q_proj(x).view(shape).transpose(1, 2)
        k = self.k_proj(x).view(shape).transpose(1, 2)
        v = self.v_proj(x).view(shape).transpose(1, 2)
        attn_weights = torch.matmul(q, k.transpose(2, 3)) * self.head_dim ** -0.5
        causal_mask = torch.full((n, n), float("-inf"), dtype=x.dtype, device=x.device).triu(1)
        probs = self._with_sinks(attn_weights + causal_mask)
        scores = probs[..., :-1]  # drop the sink here
        out = torch.matmul(scores, v).transpose(1, 2).reshape(b, n, -1)
        return self.o_proj(out)
