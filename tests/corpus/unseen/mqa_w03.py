# attn-kata: mqa
# 多查询注意力: 多个 Q 头, 只有一个 K 头和一个 V 头
import torch
import torch.nn as nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.k_proj = nn.Linear(hidden_dim, self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, self.head_dim)
        self.o_proj = nn.Linear(self.head_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, L, _ = x.shape
        q = self.q_proj(x).reshape(B, L, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).unsqueeze(1)             # [B, 1, L, d]
        v = self.v_proj(x).unsqueeze(1)
        score = torch.matmul(q, k.transpose(-1, -2)) * (self.head_dim ** -0.5)
        if attention_mask is not None:
            score = score.masked_fill(attention_mask == 0, float("-inf"))
        prob = torch.softmax(score, dim=-1)
        ctx = torch.matmul(prob, v)                 # [B, H, L, d]
        ctx = ctx.sum(dim=1)
        return self.o_proj(ctx)
