# wrong: cross cross-wrong-source line 22, scale-by-hidden-dim line 23
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.d_model = d_model
        self.n_heads = n_heads
        self.head_dim = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.o_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        b = query.size(0)
        q = self.q_proj(query).view(b, -1, self.n_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(key).view(b, -1, self.n_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(key).view(b, -1, self.n_heads, self.head_dim).transpose(1, 2)
        q = q / self.d_model ** 0.5
        attn = torch.matmul(q, k.transpose(-2, -1))
        if mask is not None:
            attn = attn.masked_fill(mask.unsqueeze(1) == 0, -1e9)
        attn = self.drop(torch.softmax(attn, dim=-1))
        out = torch.matmul(attn, v).transpose(1, 2).contiguous().view(b, -1, self.d_model)
        return self.o_proj(out)
