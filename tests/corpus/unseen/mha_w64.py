# attn-kata: mha
# from memory: The Annotated Transformer
import copy
import math

import torch
import torch.nn as nn


def clones(module, N):
    "Produce N identical layers."
    return nn.ModuleList([copy.deepcopy(module) for _ in range(N)])


def score(query, key, mask=None):
    "Compute 'Scaled Dot Product Attention' weights"
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        "Take in model size and number of heads."
        super().__init__()
        assert hidden_dim % num_heads == 0
        # We assume d_v always equals d_k
        self.d_k = hidden_dim // num_heads
        self.h = num_heads
        self.linears = clones(nn.Linear(hidden_dim, hidden_dim), 4)
        self.attn = None
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x, attention_mask=None):
        nbatches = x.size(0)

        # 1) Do all the linear projections in batch from d_model => h x d_k
        query, key, value = [
            lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2) for lin in self.linears[:3]
        ]

        # 2) Apply attention on all the projected vectors in batch; keep the map for the plots.
        self.attn = score(query, key, mask=attention_mask).detach()
        y = torch.matmul(self.dropout(self.attn), value)

        # 3) "Concat" using a view and apply a final linear.
        y = y.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.linears[-1](y)
