# right: mha
import math
from dataclasses import dataclass, field
from types import SimpleNamespace
import torch
from torch import nn
import torch.nn.functional as F

class Config:
    class model:
        width = 64
        n_head = 4
    class reg:
        dropout = 0.1

class MultiHeadAttention(nn.Module):
    def __init__(self, cfg=Config):
        super().__init__()
        self.h = cfg.model.n_head
        self.d = cfg.model.width // cfg.model.n_head
        self.wq = nn.Linear(cfg.model.width, cfg.model.width)
        self.wk = nn.Linear(cfg.model.width, cfg.model.width)
        self.wv = nn.Linear(cfg.model.width, cfg.model.width)
        self.wo = nn.Linear(cfg.model.width, cfg.model.width)
        self.drop = nn.Dropout(cfg.reg.dropout)

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
