# クロスアテンション。デコーダがエンコーダを読む。
# 生成中はソースのキーと値を一度だけ計算して使い回す。
import math

import torch
from torch import nn


class SourceMemory:
    """ソース側のキーと値を覚えておく小さな箱。"""

    def __init__(self):
        self.kv = None

    def fits(self, key):
        if self.kv is None:
            return False
        k = self.kv[0]
        return k.size(0) == key.size(0) and k.size(2) == key.size(1) and k.dtype == key.dtype

    def store(self, k, v):
        self.kv = (k, v)

    def clear(self):
        self.kv = None


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.drop = nn.Dropout(dropout)
        self.memory = SourceMemory()

    def split(self, t):
        # (B, T, H*d) -> (B, H, T, d)
        return t.unflatten(-1, (self.h, self.d)).transpose(1, 2)

    def source(self, key, value):
        if self.training:
            self.memory.clear()      # 学習中は毎回計算する
            return self.split(self.k(key)), self.split(self.v(value))
        if not self.memory.fits(key):
            self.memory.store(self.split(self.k(key)), self.split(self.v(value)))
        return self.memory.kv

    def forward(self, query, key, value, mask=None):
        q = self.split(self.q(query))
        k, v = self.source(key, value)
        s = q @ k.mT / math.sqrt(self.d)
        if mask is not None:
            s = s.masked_fill(mask.unsqueeze(1) == 0, torch.finfo(s.dtype).min)
        w = self.drop(s.softmax(dim=-1))
        return self.o((w @ v).transpose(1, 2).flatten(2))
