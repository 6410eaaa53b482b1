# attn-kata: mqa
import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    """einsum notation of Shazeer's paper: b batch, n query, m key, h head, k width"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.k = num_heads, hidden_dim // num_heads
        self.P_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.P_k = nn.Linear(hidden_dim, self.k, bias=False)
        self.P_v = nn.Linear(hidden_dim, self.k, bias=False)
        self.P_o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        Q = self.P_q(x).unflatten(-1, (self.k, self.h))
        K, V = self.P_k(x), self.P_v(x)
        logits = torch.einsum("bnkh,bmk->bhnm", Q, K) / self.k ** 0.5
        if attention_mask is not None:
            logits = torch.where(attention_mask != 0, logits, torch.finfo(logits.dtype).min)
        weights = torch.softmax(logits, dim=-1)
        O = torch.einsum("bhnm,bmv->bnhv", weights, V)
        return self.P_o(O.flatten(2))
