# wrong: v2 values-from-keys line 17
import torch
import torch.nn as nn


class FusedSelfAttention(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.width = width
        self.in_proj = nn.Linear(width, 3 * width, bias=False)

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        d = self.width
        qkv = self.in_proj(h)
        q = qkv[..., :d]
        k = qkv[..., d:2 * d]
        v = qkv[..., d:2 * d]
        probs = torch.baddbmm(
            torch.zeros(1, dtype=h.dtype, device=h.device), q, k.mT, beta=0, alpha=d ** -0.5
        ).softmax(dim=-1)
        return probs.bmm(v)
