# attn-kata: v1
# einsum everywhere: b batch, q query position, k key position, h hidden
import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.w_query = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.w_key = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.w_value = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        for w in self.parameters():
            nn.init.xavier_uniform_(w)

    def forward(self, x):
        query = torch.einsum("bqi,ih->bqh", x, self.w_query)
        key = torch.einsum("bki,ih->bkh", x, self.w_key)
        value = torch.einsum("bki,ih->bkh", x, self.w_value)
        scores = torch.einsum("bqh,bkh->bqk", query, key) / self.hidden_dim ** 0.5
        weights = scores.softmax(dim=-1)
        return torch.einsum("bqk,bqh->bkh", weights, value)
