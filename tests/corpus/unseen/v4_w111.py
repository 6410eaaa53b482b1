import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    # Column convention, as in the linear-algebra books: a column of the weights belongs to one
    # query and sums to 1.
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.projections = nn.ModuleDict(
            {role: nn.Linear(hidden_dim, hidden_dim) for role in ("query", "key", "value")}
        )
        self.dropout = nn.Dropout(dropout)
        self.norm_const = hidden_dim ** 0.5

    def forward(self, x, attention_mask=None):
        q, k, v = (layer(x) for layer in self.projections.values())
        logits = k @ q.mT / self.norm_const                      # (batch, key, query)
        if attention_mask is not None:
            logits = logits.masked_fill(attention_mask == 0, torch.finfo(logits.dtype).min)
        weights = self.dropout(logits.softmax(dim=-2))
        return weights.mT @ v                                    # (batch, query, width)
