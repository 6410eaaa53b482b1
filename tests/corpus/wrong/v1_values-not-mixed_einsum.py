# wrong: v1 values-not-mixed line 17
from torch import nn, einsum


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.scale = hidden_dim ** -0.5

    def forward(self, x):
        q, k, v = self.to_q(x), self.to_k(x), self.to_v(x)
        sim = einsum("bid,bjd->bij", q, k) * self.scale
        attn = sim.softmax(dim=-1)
        return einsum("bij,bid->bid", attn, v)
