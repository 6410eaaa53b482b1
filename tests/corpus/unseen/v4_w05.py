import numpy as np
import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.fc_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.fc_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.fc_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.fc_o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.p = dropout
        self.temperature = float(np.sqrt(hidden_dim))

    def _drop(self, w):
        if not self.training or self.p == 0:
            return w
        keep = (torch.rand_like(w) >= self.p).to(w.dtype)
        w = w * keep
        return w

    def forward(self, x, attention_mask=None):
        q, k, v = self.fc_q(x), self.fc_k(x), self.fc_v(x)
        attn = torch.matmul(q / self.temperature, k.transpose(1, 2))
        if attention_mask is not None:
            attn = attn.masked_fill(attention_mask == 0, float("-inf"))
        attn = self._drop(torch.softmax(attn, dim=-1))
        return self.fc_o(torch.matmul(attn, v))
