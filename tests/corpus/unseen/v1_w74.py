import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        # x: [B, T, D]
        q = self.q_proj(x)
        k = self.k_proj(x)
        v = self.v_proj(x)

        # [B, T, D] @ [B, D, T] -> [B, T, T]
        attn_scores = torch.matmul(q, k.transpose(-2, -1))
        attn_weights = F.softmax(attn_scores, dim=-1)

        # [B, T, T] @ [B, T, D] -> [B, T, D]
        return torch.matmul(attn_weights, v)


if __name__ == "__main__":
    m = SelfAttentionV1(8)
    print(m(torch.randn(2, 5, 8)).shape)
