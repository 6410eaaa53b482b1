# attn-kata: v2
import torch
from torch import nn, Tensor


class SelfAttentionV2(nn.Module):
    """Ein Kopf, eine gemeinsame Projektion"""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        # (B, L, 3D)
        qkv = self.qkv_proj(x)
        query, key, value = qkv.chunk(3, dim=-1)
        # skalieren, damit die Varianz 1 bleibt
        query = query * qkv.shape[-1] ** -0.5
        scores = torch.bmm(query, key.mT)          # (B, L, L)
        weights = scores.softmax(dim=2)
        return torch.bmm(weights, value)           # (B, L, D)
