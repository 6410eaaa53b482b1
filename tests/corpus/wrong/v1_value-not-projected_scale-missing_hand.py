# wrong: v1 value-not-projected line 19, scale-missing line 21
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV1(nn.Module):
    """自注意力 (单头)"""

    def __init__(self, hidden_dim):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q = self.query(x)
        k = self.key(x)
        v = x.clone()
        # [b, n, n]
        sim = q.matmul(k.transpose(1, 2))
        return F.softmax(sim, dim=-1).matmul(v)
