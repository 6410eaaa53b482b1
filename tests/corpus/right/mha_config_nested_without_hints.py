# right: mha
import math
from dataclasses import dataclass, field
from types import SimpleNamespace
import torch
from torch import nn
import torch.nn.functional as F

@dataclass
class AttnConfig:
    heads: int = 4
    dropout: float = 0.1

@dataclass
class ModelConfig:
    dim: int = 32
    attn: AttnConfig = field(default_factory=AttnConfig)

class MultiHeadAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.h = config.attn.heads
        self.d = config.dim // config.attn.heads
        self.wq = nn.Linear(config.dim, config.dim)
        self.wk = nn.Linear(config.dim, config.dim)
        self.wv = nn.Linear(config.dim, config.dim)
        self.wo = nn.Linear(config.dim, config.dim)
        self.drop = nn.Dropout(config.attn.dropout)

    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        q = self.wq(x).view(b, t, self.h, self.d).transpose(1, 2)
        k = self.wk(x).view(b, t, self.h, self.d).transpose(1, 2)
        v = self.wv(x).view(b, t, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, -1e4)
        w = self.drop(scores.softmax(-1))
        out = (w @ v).transpose(1, 2).reshape(b, t, c)
        return self.wo(out)
