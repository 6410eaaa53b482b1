# wrong: causal causal-excludes-self line 27, heads-merge-without-transpose line 30
import math
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    """因果自注意力，mask 在前向时按长度生成"""

    def __init__(self, d_model, n_heads, max_seq_len=512):
        super().__init__()
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.max_seq_len = max_seq_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.o_proj = nn.Linear(d_model, d_model)

    def forward(self, x):
        B, T, D = x.shape
        q = self.q_proj(x).view(B, T, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(x).view(B, T, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(x).view(B, T, self.n_heads, self.d_head).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_head)
        # 屏蔽未来的位置
        mask = torch.triu(torch.ones(T, T, device=x.device)).bool()
        scores = scores.masked_fill(mask, -1e9)
        out = torch.matmul(scores.softmax(dim=-1), v)
        out = out.reshape(B, T, D)
        return self.o_proj(out)
