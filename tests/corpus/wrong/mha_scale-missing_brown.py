# wrong: mha scale-missing line 22
import torch
import torch.nn as nn


class MHA(nn.Module):
    def __init__(self, d_model: int, h: int, p: float = 0.1):
        super().__init__()
        assert d_model % h == 0
        self.h, self.d_k = h, d_model // h
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(p)

    def split(self, t):
        return t.unflatten(-1, (self.h, self.d_k)).transpose(1, 2)

    def forward(self, x, mask=None):
        q, k, v = self.split(self.wq(x)), self.split(self.wk(x)), self.split(self.wv(x))
        s = q @ k.mT
        if mask is not None:
            s = s.masked_fill(mask == 0, float("-inf"))
        return self.wo((self.drop(s.softmax(-1)) @ v).transpose(1, 2).flatten(2))
