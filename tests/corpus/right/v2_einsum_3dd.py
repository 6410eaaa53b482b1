# right: v2
import torch
from torch import einsum, nn


class Sa(nn.Module):
    """all three matrices live in one tensor (3, D, D)"""

    def __init__(self, features: int):
        super().__init__()
        self.w = nn.Parameter(torch.empty(3, features, features))
        self.b = nn.Parameter(torch.zeros(3, features))
        nn.init.normal_(self.w, std=features ** -0.5)

    def forward(self, x):
        q, k, v = einsum("cod,btd->cbto", self.w, x) + self.b[:, None, None, :]
        s = einsum("bid,bjd->bij", q, k) * x.size(-1) ** -0.5
        return einsum("bij,bjd->bid", s.softmax(-1), v)
