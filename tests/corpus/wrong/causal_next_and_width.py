# wrong: causal causal-sees-next line 13, scale-by-hidden-dim line 19
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.n_head = config.n_head
        self.attn = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.proj = nn.Linear(config.n_embd, config.n_embd)
        visible = torch.ones(config.block_size, config.block_size).tril(1)
        self.register_buffer("visible", visible)

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in self.attn(x).split(C, dim=2))
        att = q @ k.transpose(-2, -1) * C ** -0.5
        att = att.masked_fill(self.visible[:T, :T] == 0, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        return self.proj(y.transpose(1, 2).reshape(B, T, C))
