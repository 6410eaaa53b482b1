# a Keras person
import torch
from torch import nn


class Dense(nn.Module):
    def __init__(self, units_in, units_out):
        super().__init__()
        self.kernel = nn.Parameter(nn.init.xavier_uniform_(torch.empty(units_in, units_out)))  # (in, out)
        self.bias = nn.Parameter(torch.zeros(units_out))

    def forward(self, inputs):
        return torch.tensordot(inputs, self.kernel, dims=1) + self.bias


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.units = hidden_dim
        for name in ["q", "k", "v", "out"]:
            setattr(self, name, Dense(hidden_dim, hidden_dim))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        return self.call(x, mask=attention_mask)

    def call(self, inputs, mask=None):
        query, key, value = self.q(inputs), self.k(inputs), self.v(inputs)
        logits = torch.sum(query.unsqueeze(2) * key.unsqueeze(1), dim=-1) / self.units**0.5
        if mask is not None:
            # additive: log(1) = 0, log(0) = -inf
            logits = logits + mask.to(logits.dtype).log()
        weights = self.dropout(torch.exp(logits - torch.logsumexp(logits, -1, True)))
        return self.out(torch.sum(weights.unsqueeze(-1) * value.unsqueeze(1), dim=2))
