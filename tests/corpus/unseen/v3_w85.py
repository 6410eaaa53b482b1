import torch
import torch.nn.functional as F
from torch import nn


class SelfAttentionV3(nn.Module):
    """Fused qkv; dropout as a function since it has no state anyway."""

    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.p = dropout
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        query, key, value = self.qkv(x).chunk(3, dim=-1)
        weights = torch.einsum("bid,bjd->bij", query, key) / query.size(-1) ** 0.5
        if attention_mask is not None:
            weights = weights.masked_fill(attention_mask == 0, torch.finfo(weights.dtype).min)
        weights = F.softmax(weights, dim=-1)
        weights = F.dropout(weights, p=self.p)
        context = torch.einsum("bij,bjd->bid", weights, value)
        return self.out(context)
