# right: v4 remarks: nan-on-empty-row
import math
import torch
from torch import nn

DEFAULTS = {"hidden_dim": 64, "dropout": 0.1}


class SelfAttention(nn.Module):
    def __init__(self, config: dict = DEFAULTS):
        super().__init__()
        self.dim = config["hidden_dim"]
        self.qkv = nn.Linear(self.dim, 3 * self.dim)
        self.drop = nn.Dropout(config["dropout"])

    def forward(self, x, mask=None):
        q, k, v = self.qkv(x).split([self.dim] * 3, dim=-1)
        att = torch.matmul(q, k.transpose(1, 2)).mul(1.0 / math.sqrt(self.dim))
        if mask is not None:
            block = torch.zeros_like(att)
            block[mask.expand_as(att) == 0] = float("-inf")
            att = att + block
        return torch.matmul(self.drop(att.softmax(-1)), v)
