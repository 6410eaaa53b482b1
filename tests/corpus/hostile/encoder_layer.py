# hostile: v1 fail forbidden-call line 14 within 5 s
import threading

import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.inner = nn.TransformerEncoderLayer(hidden_dim, 1, 4, batch_first=True)

    def forward(self, x):
        return self.inner(x)  # <- here
