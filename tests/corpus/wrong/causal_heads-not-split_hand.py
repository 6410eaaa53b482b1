# wrong: causal heads-not-split line 30
# fair: heads-not-split 30 31 32
import torch
import torch.nn as nn
import torch.nn.functional as F
from math import sqrt


class MultiHeadCausalAttention(nn.Module):
    """
    hidden_dim : int
    num_heads : int
    block_size : int, the longest sequence
    dropout : float, on the attention weights
    """

    def __init__(self, hidden_dim, num_heads, block_size, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = dropout
        self.register_buffer("causal", torch.ones(block_size, block_size).tril())

    def forward(self, x):
        bs, n, _ = x.shape
        q = self.q_proj(x)
        k = self.k_proj(x)
        v = self.v_proj(x)

        att = q @ k.transpose(-1, -2) / sqrt(q.size(-1))
        att = att.masked_fill(self.causal[:n, :n] == 0, torch.finfo(att.dtype).min)
        att = F.dropout(F.softmax(att, dim=-1), self.dropout, self.training)

        y = att @ v
        return self.o_proj(y)
