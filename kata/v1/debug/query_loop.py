from math import sqrt

import torch
import torch.nn as nn


class SlowAttention(nn.Module):
    """One query position after the other, no T x T matrix anywhere."""

    def __init__(self, features):
        super().__init__()
        self.make_query = nn.Linear(features, features, bias=False)
        self.make_key = nn.Linear(features, features, bias=False)
        self.make_value = nn.Linear(features, features, bias=False)
        self.root = sqrt(features)

    def forward(self, sequence):
        keys = self.make_key(sequence)
        values = self.make_value(sequence)
        result = []
        for t in range(sequence.size(1)):
            q_t = self.make_query(sequence[:, t])  # (B, D)
            s_t = (keys * q_t.unsqueeze(1)).sum(dim=2) / self.root  # (B, T)
            p_t = torch.softmax(s_t, dim=1)
            result.append((p_t.unsqueeze(2) * values).sum(dim=1))
        return torch.stack(result, dim=1)
