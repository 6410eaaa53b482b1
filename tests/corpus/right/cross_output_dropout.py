# right: cross remarks: parameter-unused
import torch
import torch.nn as nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.layers = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim) for n in ["query", "key", "value", "out"]})
        self.norm_q = nn.LayerNorm(hidden_dim)   # pre-norm variant, not used yet
        self.norm_kv = nn.LayerNorm(hidden_dim)
        self.dropout = dropout

    def forward(self, query, key, value, mask=None):
        def heads(name, t):
            t = self.layers[name](t)
            return t.reshape(*t.shape[:2], self.num_heads, -1).permute(0, 2, 1, 3)

        q, k, v = heads("query", query), heads("key", key), heads("value", value)
        scores = torch.matmul(q * q.shape[-1] ** -0.5, k.permute(0, 1, 3, 2))
        if mask is not None:
            bias = (1.0 - mask.to(scores.dtype)) * torch.finfo(scores.dtype).min
            scores = scores + bias.unsqueeze(1)
        weights = F.dropout(F.softmax(scores, dim=-1), p=self.dropout, training=self.training)
        merged = torch.matmul(weights, v).permute(0, 2, 1, 3).flatten(2)
        return F.dropout(self.layers["out"](merged), p=self.dropout, training=self.training)
