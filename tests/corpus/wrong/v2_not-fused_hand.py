# wrong: v2 not-fused line 12
# fair: not-fused 12 13 18
import math
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.q_proj, self.k_proj, self.v_proj = (
            nn.Linear(dim, dim) for _ in range(3)
        )
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, x):
        Q, K, V = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        att_value = torch.matmul(Q, K.transpose(1, 2)) / math.sqrt(self.dim)
        att_weight = torch.softmax(att_value, dim=-1)
        return self.out_proj(att_weight @ V)
