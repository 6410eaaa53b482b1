# wrong: v1 query-key-swapped line 17
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        # クエリ・キー・バリューを作る
        q = self.key(x)
        k = self.query(x)
        v = self.value(x)
        w = F.softmax(q @ k.transpose(1, 2) / self.hidden_dim ** 0.5, dim=-1)
        return w @ v
