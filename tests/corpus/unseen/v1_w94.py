import torch
from torch import nn, Tensor


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.proj = nn.ModuleDict(
            {name: nn.Linear(hidden_dim, hidden_dim) for name in ("q", "k", "v")}
        )
        self.scale = hidden_dim ** -0.5

    def similarity(self, q: Tensor, k: Tensor) -> Tensor:
        # scaled dot product, (b, n, n)
        return torch.einsum("bid,bjd->bij", q, k) / self.scale

    def forward(self, x: Tensor) -> Tensor:
        q = self.proj["q"](x)
        k = self.proj["k"](x)
        v = self.proj["v"](x)
        w = torch.softmax(self.similarity(q, k), dim=-1)
        return torch.einsum("bij,bjd->bid", w, v)
