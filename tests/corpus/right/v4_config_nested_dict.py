# right: v4
import math
from dataclasses import dataclass, field
from types import SimpleNamespace
import torch
from torch import nn
import torch.nn.functional as F

class SelfAttentionV4(nn.Module):
    def __init__(self, config: dict):
        super().__init__()
        self.qkv = nn.Linear(config['model']['hidden_dim'], 3 * config['model']['hidden_dim'])
        self.o = nn.Linear(config['model']['hidden_dim'], config['model']['hidden_dim'])
        self.drop = nn.Dropout(config.get('dropout', 0.1))

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, -1)
        s = q @ k.mT / q.size(-1) ** 0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, -1e4)
        return self.o(self.drop(s.softmax(-1)) @ v)
