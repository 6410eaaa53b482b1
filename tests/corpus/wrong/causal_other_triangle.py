# wrong: causal causal-inverted line 23
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, num_heads, block_size):
        super().__init__()
        self.nh = num_heads
        self.query = nn.Linear(n_embd, n_embd)
        self.key = nn.Linear(n_embd, n_embd)
        self.value = nn.Linear(n_embd, n_embd)
        self.proj = nn.Linear(n_embd, n_embd)
        self.register_buffer("mask", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        B, T, C = x.shape
        hs = C // self.nh
        q = self.query(x).view(B, T, self.nh, hs).transpose(1, 2)
        k = self.key(x).view(B, T, self.nh, hs).transpose(1, 2)
        v = self.value(x).view(B, T, self.nh, hs).transpose(1, 2)
        att = q @ k.transpose(2, 3) / hs ** 0.5
        att = att.masked_fill(self.mask[:T, :T].T == 0, float("-inf"))
        att = torch.softmax(att, dim=-1)
        return self.proj((att @ v).transpose(1, 2).contiguous().view(B, T, C))
