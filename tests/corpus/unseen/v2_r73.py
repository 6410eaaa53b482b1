import math
import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    """
    Fused projection whose output is laid out channel-by-channel:
        q0 k0 v0 q1 k1 v1 q2 k2 v2 ...
    (like RGB pixels), so a strided view picks out each role.
    """

    def __init__(self, hidden_dim):
        super().__init__()
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)

    def forward(self, x):
        B, T, C = x.shape
        pixels = self.qkv_proj(x).reshape(B, T, C, 3)
        query, key, value = pixels.unbind(dim=3)
        scores = torch.bmm(query.contiguous(), key.contiguous().transpose(1, 2))
        scores = scores * (1.0 / math.sqrt(C))
        weights = torch.softmax(scores, dim=2)
        context = torch.bmm(weights, value.contiguous())
        return context


if __name__ == "__main__":
    layer = SelfAttentionV2(8)
    print(layer(torch.randn(2, 5, 8)).shape)
