# wrong: v1 query-not-projected line 17
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.W_query = nn.Linear(hidden_dim, hidden_dim)
        self.W_key = nn.Linear(hidden_dim, hidden_dim)
        self.W_value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        keys = self.W_key(x)
        values = self.W_value(x)
        logits = torch.matmul(x, keys.mT)
        return F.softmax(logits * x.shape[-1] ** -0.5, dim=-1).matmul(values)
