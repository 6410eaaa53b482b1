# right: mha
import math
from dataclasses import dataclass, field
from types import SimpleNamespace
import torch
from torch import nn
import torch.nn.functional as F

class MultiHeadAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.kind = cfg.layer_types[0] if cfg.get('layer_types') else 'full'
        self.scale = cfg.scaling if hasattr(cfg, 'scaling') else None
        self.h = cfg.n_head
        self.d = cfg.n_embd // cfg.n_head
        self.wq = nn.Linear(cfg.n_embd, cfg.n_embd)
        self.wk = nn.Linear(cfg.n_embd, cfg.n_embd)
        self.wv = nn.Linear(cfg.n_embd, cfg.n_embd)
        self.wo = nn.Linear(cfg.n_embd, cfg.n_embd)
        self.drop = nn.Dropout(cfg.attn_pdrop)

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
