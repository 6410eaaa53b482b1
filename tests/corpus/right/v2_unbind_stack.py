# right: v2
from torch import nn, Tensor


class FusedAttention(nn.Module):
    def __init__(self, embed_dim: int, *, bias: bool = False) -> None:
        super().__init__()
        self.embed_dim = embed_dim
        self.in_proj = nn.Linear(embed_dim, 3 * embed_dim, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        q, k, v = self.in_proj(x).reshape(b, t, 3, d).unbind(dim=2)
        return (q.mul(d ** -0.5) @ k.transpose(-2, -1)).softmax(dim=-1) @ v
