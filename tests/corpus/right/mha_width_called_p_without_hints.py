# right: mha
import math
from dataclasses import dataclass, field
from types import SimpleNamespace
import torch
from torch import nn
import torch.nn.functional as F

class MultiHeadAttention(nn.Module):
    def __init__(self, p, h, drop=0.0):
        super().__init__()
        self.h = h
        self.d = p // h
        self.wq = nn.Linear(p, p)
        self.wk = nn.Linear(p, p)
        self.wv = nn.Linear(p, p)
        self.wo = nn.Linear(p, p)
        self.drop = nn.Dropout(drop)

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
