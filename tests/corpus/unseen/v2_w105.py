import torch
from torch import Tensor, nn


class SelfAttentionV2(nn.Module):
    """Single-head attention, one GEMM for q/k/v."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.scale = self.in_proj.out_features ** -0.5

    def forward(self, x: Tensor) -> Tensor:
        qkv = self.in_proj(x)                      # (B, T, 3D)
        q, k, v = qkv.tensor_split(3, dim=-1)      # 3 x (B, T, D)
        attn = torch.bmm(q, k.transpose(1, 2))     # (B, T, T)
        attn = attn.mul(self.scale).softmax(-1)
        return self.out_proj(torch.bmm(attn, v))
