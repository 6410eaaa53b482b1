import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    ROLES = ("query", "key", "value")

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleDict()
        for role in self.ROLES:
            self.layers[role] = nn.Linear(hidden_dim, hidden_dim)
        self.layers["dropout"] = nn.Dropout(dropout)
        self.layers["softmax"] = nn.Softmax(dim=-1)

    def forward(self, x, attention_mask=None):
        made = {role: self.layers[role](x) for role in self.ROLES}
        # (batch, length, length)
        scores = made["query"] @ made["key"].transpose(-2, -1)
        scores = scores / x.size(-1) ** 0.5
        if attention_mask is not None:
            lowest = torch.finfo(scores.dtype).min
            scores = scores.masked_fill(attention_mask == 0, lowest)
        weights = self.layers["softmax"](scores)
        # (batch, length, hidden_dim)
        return weights @ made["value"]
