# wrong: causal scale-by-hidden-dim line 12, causal-missing line 21
# fair: causal-missing 20 21
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head, block_size):
        super().__init__()
        self.n_head = n_head
        self.scale = n_embd ** -0.5
        self.qkv = nn.Linear(n_embd, 3 * n_embd, bias=False)
        self.proj = nn.Linear(n_embd, n_embd, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (z.view(B, T, self.n_head, -1).transpose(1, 2) for z in self.qkv(x).split(C, -1))
        wei = q @ k.transpose(-2, -1) * self.scale
        wei = F.softmax(wei, dim=-1)
        return self.proj((wei @ v).transpose(1, 2).reshape(B, T, C))
