# right: v1
"""Written for one sentence; torch.func.vmap carries it over the batch."""
import torch
from torch import nn
from torch.func import vmap


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def one(self, sentence):
        # sentence is (length, hidden_dim)
        scores = self.query(sentence) @ self.key(sentence).T
        weights = torch.softmax(scores / sentence.shape[-1] ** 0.5, dim=-1)
        return weights @ self.value(sentence)

    def forward(self, x):
        return vmap(self.one)(x)
