# wrong: causal causal-not-sliced line 26 (error)
import torch
import torch.nn as nn
from dataclasses import dataclass


@dataclass
class GPTConfig:
    block_size: int = 1024
    n_head: int = 12
    n_embd: int = 768


class CausalSelfAttention(nn.Module):
    def __init__(self, config: GPTConfig):
        super().__init__()
        self.config = config
        self.attn = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.proj = nn.Linear(config.n_embd, config.n_embd)
        self.register_buffer("mask", torch.ones(config.block_size, config.block_size).triu(1) * -1e9)

    def forward(self, x):
        B, T, C = x.shape
        H = self.config.n_head
        q, k, v = (t.reshape(B, T, H, C // H).transpose(1, 2) for t in self.attn(x).chunk(3, dim=-1))
        s = q @ k.transpose(-1, -2) / (C // H) ** 0.5 + self.mask[:T]
        return self.proj((s.softmax(dim=-1) @ v).transpose(1, 2).reshape(B, T, C))
