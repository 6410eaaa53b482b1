# wrong: causal projection-unused line 19
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.heads = num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        B, T, D = x.shape
        q = self.q_proj(x)
        k = self.k_proj(x)
        v = self.q_proj(x)
        q, k, v = [t.view(B, T, self.heads, D // self.heads).transpose(1, 2) for t in [q, k, v]]
        att = q @ k.transpose(-2, -1) / (D // self.heads) ** 0.5
        visible = torch.ones(T, T, device=x.device, dtype=torch.bool).tril()
        att = torch.where(visible, att, torch.finfo(att.dtype).min)
        out = att.softmax(dim=-1) @ v
        return self.o_proj(out.transpose(1, 2).reshape(B, T, D))
