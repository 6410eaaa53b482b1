# wrong: v2 scale-multiplied line 15, weights-on-keys line 17
import torch
import torch.nn as nn


class FusedAttention(nn.Module):
    def __init__(self, features: int, bias: bool = True):
        super().__init__()
        self.features = features
        self.temperature = features ** 0.5
        self.qkv = nn.Linear(features, 3 * features, bias=bias)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        logits = torch.matmul(q, k.transpose(1, 2)) * self.temperature
        w = torch.softmax(logits, -1)
        return torch.matmul(w, k)
