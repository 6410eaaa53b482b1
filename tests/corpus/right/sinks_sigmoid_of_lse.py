# right: sinks
import math
import torch
from torch import nn


class AttentionWithSinks(nn.Module):
    # plain attention times sigmoid(lse - sink): what a fused kernel does in its epilogue
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads, self.d_head = n_heads, d_model // n_heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)
        self.sink_logits = nn.Parameter(torch.zeros(n_heads))

    def split(self, t):
        return t.unflatten(-1, (self.n_heads, self.d_head)).transpose(-3, -2)

    def forward(self, x):
        q, k, v = self.split(self.wq(x)), self.split(self.wk(x)), self.split(self.wv(x))
        logits = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(self.d_head)
        i = torch.arange(x.shape[1], device=x.device)
        logits = torch.where(i[:, None] >= i[None, :], logits, -torch.inf)
        lse = torch.logsumexp(logits, dim=-1, keepdim=True)
        plain = torch.softmax(logits, dim=-1) @ v
        kept = torch.sigmoid(lse - self.sink_logits[:, None, None])
        return self.wo((kept * plain).transpose(1, 2).flatten(2))
