# wrong: v2 dtype-hardcoded line 13
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.fused = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x):
        q, k, v = self.fused(x).split(x.shape[-1], -1)
        result = torch.zeros(x.shape, dtype=torch.float32, device=x.device)
        for i in range(x.shape[0]):
            w = torch.softmax(q[i] @ k[i].T / x.shape[-1] ** 0.5, dim=-1)
            result[i] = w @ v[i]
        return result
