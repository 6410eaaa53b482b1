# wrong: v1 parameters-not-registered line 13
# fair: parameters-not-registered 13 14 15 16
import math
import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, n_embd):
        super().__init__()
        self.n_embd = n_embd
        std = 1.0 / math.sqrt(n_embd)
        self.W = {
            "q": torch.randn(n_embd, n_embd, requires_grad=True),
            "k": torch.randn(n_embd, n_embd, requires_grad=True),
            "v": torch.randn(n_embd, n_embd, requires_grad=True),
        }
        with torch.no_grad():
            for w in self.W.values():
                w.mul_(std)

    def forward(self, x):
        q, k, v = (torch.matmul(x, self.W[name]) for name in "qkv")
        att = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.n_embd)
        att = att.softmax(-1)
        return torch.matmul(att, v)
