# wrong: v1 forbidden-call line 15
import torch
from torch import nn
import torch.nn.functional as F


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        return F.scaled_dot_product_attention(self.wq(x), self.wk(x), self.wv(x))
