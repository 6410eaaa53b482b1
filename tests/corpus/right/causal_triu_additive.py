# right: causal
import torch
from torch import nn


def subsequent_bias(n, like):
    return torch.full((n, n), float("-inf"), dtype=like.dtype, device=like.device).triu_(1)


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head, block_size):
        super().__init__()
        self.n_head = n_head
        self.block_size = block_size
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)

    def forward(self, x):
        B, T, C = x.shape
        assert T <= self.block_size, f"sequence of {T} > block size {self.block_size}"
        q, k, v = self.c_attn(x).split(C, dim=2)
        q, k, v = [t.reshape(B, T, self.n_head, -1).transpose(1, 2) for t in (q, k, v)]
        att = q @ k.transpose(-2, -1) / (C // self.n_head) ** 0.5 + subsequent_bias(T, x)
        return self.c_proj((att.softmax(dim=-1) @ v).transpose(1, 2).reshape(B, T, C))
