import math

import torch
import torch.nn.functional as F
from torch import nn


def rms(u, gain, eps=1e-6):
    square = (u * u).mean(dim=-1, keepdim=True)
    return u / torch.sqrt(square + eps) * gain


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        assert n_embd % n_head == 0
        self.n_head = n_head
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.q_gain = nn.Parameter(torch.ones(n_embd // n_head))
        self.k_gain = nn.Parameter(torch.ones(n_embd // n_head))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = rms(q, self.q_gain)
        k = rms(k, self.k_gain)
        att = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        tril = torch.tril(torch.ones(T, T, device=x.device))
        att = att.masked_fill(tril == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y)
