# hostile: v1 fail forbidden-call line 11 within 5 s
import threading

import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.inner = nn.MultiheadAttention(hidden_dim, 1, batch_first=True)  # <- here

    def forward(self, x):
        return self.inner(x, x, x, need_weights=False)[0]
