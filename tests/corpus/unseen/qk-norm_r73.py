import torch
from torch import nn
from torch.nn import functional as F


class NormedLinear(nn.Linear):
    """a projection to one head, and the norm behind it; the gain is handed in, as all heads share it"""

    def forward(self, x, gain):
        return F.rms_norm(super().forward(x), (self.out_features,), gain, eps=1e-6)


class Head(nn.Module):
    def __init__(self, width, dim):
        super().__init__()
        self.q, self.k = NormedLinear(width, dim), NormedLinear(width, dim)
        self.v = nn.Linear(width, dim)

    def forward(self, x, gains, past):
        q, k = self.q(x, gains["query"]), self.k(x, gains["key"])
        scores = torch.baddbmm(past.expand(len(x), -1, -1), q, k.mT, alpha=k.shape[-1] ** -0.5)
        return F.softmax(scores, dim=2) @ self.v(x)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        dim = hidden_dim // num_heads
        self.gains = nn.ParameterDict({"query": torch.ones(dim), "key": torch.ones(dim)})
        self.heads = nn.ModuleList(Head(hidden_dim, dim) for _ in range(num_heads))
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        past = torch.full((x.shape[1],) * 2, -torch.inf, dtype=x.dtype, device=x.device).triu_(1)
        return self.out(torch.cat([h(x, self.gains, past) for h in self.heads], -1))
