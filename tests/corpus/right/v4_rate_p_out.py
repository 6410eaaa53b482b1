# right: v4
import math
from dataclasses import dataclass, field
from types import SimpleNamespace
import torch
from torch import nn
import torch.nn.functional as F

class SelfAttentionV4(nn.Module):
    def __init__(self, d_in, p_out=0.1):
        super().__init__()
        self.qkv = nn.Linear(d_in, 3 * d_in)
        self.o = nn.Linear(d_in, d_in)
        self.drop = nn.Dropout(p_out)

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, -1)
        s = q @ k.mT / q.size(-1) ** 0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, -1e4)
        return self.o(self.drop(s.softmax(-1)) @ v)
