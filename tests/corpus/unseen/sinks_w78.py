import math
import torch
import torch.nn.functional as F
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.sink_logit = nn.Parameter(torch.zeros(1, num_heads, 1, 1))

    def split_heads(self, t):
        b, n, c = t.shape
        return t.view(b, n, self.num_heads, c // self.num_heads).transpose(1, 2)

    def forward(self, x):
        q, k, v = map(self.split_heads, self.qkv_proj(x).chunk(3, dim=-1))
        attn_scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        b, h, n, _ = attn_scores.shape
        combined = torch.cat([attn_scores, self.sink_logit.expand(b, h, n, 1)], dim=-1)
        combined = combined - combined.max(dim=-1, keepdim=True).values
        probs = F.softmax(combined, dim=-1)
        probs = probs[..., :-1]
        context = (probs @ v).transpose(1, 2).contiguous()
        return self.out_proj(context.view(b, n, -1))
