# right: v1
"""Attention as a soft dictionary: one query at a time is looked up, a generator answers."""
import torch
from torch import nn


class SoftDictionary:
    def __init__(self, keys, values):
        self.keys, self.values = keys, values

    def __getitem__(self, wanted):
        match = torch.linalg.vecdot(self.keys, wanted.unsqueeze(1)) / wanted.size(-1) ** 0.5
        return torch.sum(match.softmax(1).unsqueeze(-1) * self.values, dim=1)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.ask = nn.Linear(hidden_dim, hidden_dim)
        self.offer = nn.Linear(hidden_dim, hidden_dim)
        self.give = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        book = SoftDictionary(self.offer(x), self.give(x))
        return torch.stack([*self.answers(book, x)], dim=1)

    def answers(self, book, x):
        for wanted in self.ask(x).unbind(1):
            yield book[wanted]
