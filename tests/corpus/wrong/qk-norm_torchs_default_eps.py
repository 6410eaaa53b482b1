# wrong: qk-norm qk-norm-eps line 12
from torch import nn
import torch


class CausalSelfAttention(nn.Module):
    def __init__(self, config_dim, num_heads):
        super().__init__()
        self.nh = num_heads
        self.attn = nn.Linear(config_dim, 3 * config_dim, bias=False)
        self.proj = nn.Linear(config_dim, config_dim, bias=False)
        self.q_norm = nn.RMSNorm(config_dim // num_heads)
        self.k_norm = nn.RMSNorm(config_dim // num_heads)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.attn(x).view(B, T, 3, self.nh, C // self.nh).permute(2, 0, 3, 1, 4)
        q = self.q_norm(q)
        k = self.k_norm(k)
        att = q @ k.transpose(-2, -1) * (C // self.nh) ** -0.5
        att = att.masked_fill(torch.tril(torch.ones(T, T, device=x.device)) == 0, float("-inf"))
        y = torch.softmax(att, dim=-1) @ v
        return self.proj(y.transpose(1, 2).reshape(B, T, C))
