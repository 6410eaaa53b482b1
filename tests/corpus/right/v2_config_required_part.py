# right: v2
import math
from dataclasses import dataclass, field
from types import SimpleNamespace
import torch
from torch import nn
import torch.nn.functional as F

@dataclass
class Sub:
    dim: int = 8
@dataclass
class Cfg:
    net: Sub
    name: str = "a"

class SelfAttentionV2(nn.Module):
    def __init__(self, cfg: Cfg):
        super().__init__()
        self.qkv = nn.Linear(cfg.net.dim, 3 * cfg.net.dim)
        self.o = nn.Linear(cfg.net.dim, cfg.net.dim)
        self.drop = nn.Dropout(0.0)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        s = q @ k.mT / q.size(-1) ** 0.5
        if False:
            s = s.masked_fill(attention_mask == 0, -1e4)
        return self.o(self.drop(s.softmax(-1)) @ v)
