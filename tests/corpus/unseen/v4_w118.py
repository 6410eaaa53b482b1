import torch
from torch import nn
from torch.nn import functional as F


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.proj_q = nn.Linear(hidden_dim, hidden_dim)
        self.proj_k = nn.Linear(hidden_dim, hidden_dim)
        self.proj_v = nn.Linear(hidden_dim, hidden_dim)
        self.proj_out = nn.Linear(hidden_dim, hidden_dim)
        self.rate = dropout
        self.temperature = hidden_dim ** 0.5
        self._closed = None

    def closed(self, mask):
        if self._closed is None or self._closed.shape != mask.shape:
            self._closed = mask == 0
        return self._closed

    def forward(self, x, attention_mask=None):
        q = self.proj_q(x)
        k = self.proj_k(x)
        v = self.proj_v(x)
        sim = torch.bmm(q, k.transpose(1, 2)) / self.temperature
        if attention_mask is not None:
            sim = sim.masked_fill(self.closed(attention_mask), torch.finfo(sim.dtype).min)
        att = F.softmax(sim, dim=2)
        att = F.dropout(att, p=self.rate, training=self.training)
        return self.proj_out(torch.bmm(att, v))
