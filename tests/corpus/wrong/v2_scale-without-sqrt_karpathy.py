# wrong: v2 scale-without-sqrt line 17
import torch
import torch.nn as nn
from torch.nn import functional as F

class Head(nn.Module):
    """ one head of self-attention """

    def __init__(self, n_embd):
        super().__init__()
        self.n_embd = n_embd
        self.c_attn = nn.Linear(n_embd, 3 * n_embd, bias=False)

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        wei = q @ k.transpose(-2, -1) / C # (B, T, T)
        wei = F.softmax(wei, dim=-1)
        out = wei @ v
        return out
