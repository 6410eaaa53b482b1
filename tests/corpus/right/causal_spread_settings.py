# right: causal
import math
from dataclasses import dataclass, field
from types import SimpleNamespace
import torch
from torch import nn
import torch.nn.functional as F

class CausalSelfAttention(nn.Module):
    def __init__(self, **hp):
        super().__init__()
        self.register_buffer('tri', torch.ones(hp['max_len'], hp['max_len']).tril())
        self.h = hp['n_heads']
        self.d = hp['d_model'] // hp['n_heads']
        self.wq = nn.Linear(hp['d_model'], hp['d_model'])
        self.wk = nn.Linear(hp['d_model'], hp['d_model'])
        self.wv = nn.Linear(hp['d_model'], hp['d_model'])
        self.wo = nn.Linear(hp['d_model'], hp['d_model'])
        self.drop = nn.Dropout(hp.get('dropout', 0.0))

    def forward(self, x):
        b, t, c = x.shape
        q = self.wq(x).view(b, t, self.h, self.d).transpose(1, 2)
        k = self.wk(x).view(b, t, self.h, self.d).transpose(1, 2)
        v = self.wv(x).view(b, t, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        scores = scores.masked_fill(self.tri[:t, :t] == 0, -1e4)
        w = self.drop(scores.softmax(-1))
        out = (w @ v).transpose(1, 2).reshape(b, t, c)
        return self.wo(out)
