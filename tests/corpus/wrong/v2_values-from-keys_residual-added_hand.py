# wrong: v2 values-from-keys line 20, residual-added line 25
# fair: values-from-keys 19 20
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV2(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.features = features
        self.kqv = nn.Linear(features, features * 3)
        self.output = nn.Linear(features, features)

    def forward(self, x):
        shortcut = x
        packed = self.kqv(x)
        query, key, value = (
            packed[:, :, i * self.features:(i + 1) * self.features] for i in (0, 1, 1)
        )
        energy = torch.bmm(query, key.permute(0, 2, 1)) / math.sqrt(self.features)
        attention = F.softmax(energy, dim=-1)
        out = self.output(torch.bmm(attention, value))
        return out + shortcut
