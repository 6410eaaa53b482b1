from torch import Tensor, nn
import torch
import torch.nn.functional as F


def affine(x: Tensor, W: Tensor) -> Tensor:
    """[x 1] @ W; the last row of W is the bias."""
    return F.pad(x, (0, 1), value=1.0) @ W


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.H, self.G = num_heads, num_kv_heads
        self.d = d = hidden_dim // num_heads
        self.W0 = nn.Parameter(torch.empty(hidden_dim + 1, d * (num_heads + 2 * num_kv_heads)))
        self.W1 = nn.Parameter(torch.empty(num_heads * d + 1, hidden_dim))
        for W in self.parameters():
            nn.init.xavier_normal_(W)
            with torch.no_grad():
                W[-1].zero_()

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        B, T = x.shape[:2]
        Z = affine(x, self.W0).view(B, T, -1, self.d).movedim(2, 1)
        Q = Z[:, : self.H]
        K, V = Z[:, self.H :].chunk(2, dim=1)
        owner = torch.arange(self.H, device=x.device) // (self.H // self.G)
        A = torch.matmul(Q, K[:, owner].mT).div(self.d**0.5)
        if attention_mask is not None:
            A = A.masked_fill(attention_mask.eq(0), float("-inf"))
        Y = A.softmax(-1).matmul(V[:, owner])
        return affine(Y.movedim(1, 2).flatten(2), self.W1)
