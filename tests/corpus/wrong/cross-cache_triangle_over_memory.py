# wrong: cross-cache causal-unasked line 27
# fair: causal-unasked 28
import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.n_head = n_head
        self.c_q = nn.Linear(n_embd, n_embd)
        self.c_kv = nn.Linear(n_embd, 2 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)

    def forward(self, x, memory, memory_lengths, cache=None):
        B, T, C = x.shape
        q = self.c_q(x).view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        if cache is None:
            k, v = self.c_kv(memory).split(C, dim=2)
            k = k.view(B, -1, self.n_head, C // self.n_head).transpose(1, 2)
            v = v.view(B, -1, self.n_head, C // self.n_head).transpose(1, 2)
            cache = k, v, memory_lengths
        k, v, lengths = cache
        att = q @ k.transpose(-2, -1) * (1.0 / k.size(-1) ** 0.5)
        S = k.size(2)
        pad = torch.arange(S, device=x.device).view(1, 1, 1, S) < lengths.view(B, 1, 1, 1)
        tril = torch.ones(T, S, dtype=torch.bool, device=x.device).tril()
        att = att.masked_fill(~(pad & tril), torch.finfo(att.dtype).min)
        y = att.softmax(dim=-1) @ v
        return self.c_proj(y.transpose(1, 2).reshape(B, T, C)), cache
