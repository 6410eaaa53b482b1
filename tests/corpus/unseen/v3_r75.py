# kv fused, q apart (the decoder block at work does it like this)
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

NEG = {torch.float16: -6e4, torch.bfloat16: -1e30, torch.float32: -1e30, torch.float64: -1e30}


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.dropout = dropout
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        nn.init.xavier_uniform_(self.o.weight)

    def extra_repr(self):
        return f"p={self.dropout}"

    def forward(self, x, attention_mask=None):
        q = self.q(x)
        k, v = self.kv(x).chunk(2, -1)
        bias = 0
        if attention_mask is not None:
            # 1 -> 0, 0 -> very negative; added to the logits
            bias = (attention_mask == 0).to(q.dtype) * NEG[q.dtype]
        w = F.softmax(q @ k.transpose(1, 2) / math.sqrt(q.size(2)) + bias, dim=2)
        w = F.dropout(w, self.dropout, self.training)
        return self.o(w @ v)
