# wrong: v2 norm-added line 15
# fair: norm-added 10 15
import torch
import torch.nn as nn


class Attn(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.LayerNorm(channels)
        self.qkv = nn.Linear(channels, channels * 3, bias=False)
        self.scale = channels ** -0.5

    def forward(self, x):
        qkv = self.qkv(self.norm(x))
        q, k, v = torch.tensor_split(qkv, 3, dim=-1)
        return ((q * self.scale) @ k.mT).softmax(-1) @ v
