"Implements scaled dot product attention the way the annotated notebook explains it."

import copy
import math

import torch
import torch.nn as nn


def clones(module, N):
    "Produce N identical layers."
    return nn.ModuleList([copy.deepcopy(module) for _ in range(N)])


def attention(query, key, value):
    "Compute 'Scaled Dot Product Attention'"
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    p_attn = scores.softmax(dim=-1)
    return torch.matmul(p_attn, value), p_attn


class SelfAttentionV1(nn.Module):
    def __init__(self, d_model):
        super(SelfAttentionV1, self).__init__()
        self.linears = clones(nn.Linear(d_model, d_model), 3)
        self.attn = None

    def forward(self, x):
        query, key, value = [lin(x) for lin in self.linears]
        out, self.attn = attention(query, key, value)
        return out
