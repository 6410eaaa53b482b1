# right: causal
import math
from dataclasses import dataclass, field
from types import SimpleNamespace
import torch
from torch import nn
import torch.nn.functional as F

class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.register_buffer('tri', torch.ones(config.data.block_size, config.data.block_size).tril())
        self.h = config.model.n_head
        self.d = config.model.n_embd // config.model.n_head
        self.wq = nn.Linear(config.model.n_embd, config.model.n_embd)
        self.wk = nn.Linear(config.model.n_embd, config.model.n_embd)
        self.wv = nn.Linear(config.model.n_embd, config.model.n_embd)
        self.wo = nn.Linear(config.model.n_embd, config.model.n_embd)
        self.drop = nn.Dropout(config.train.attn_pdrop)

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
