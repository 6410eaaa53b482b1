import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    """in_proj is kept as a (dim, 3, dim) cube: input, role, output."""

    ROLES = {"k": 0, "v": 1, "q": 2}

    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.cube = nn.Parameter(torch.zeros(hidden_dim, 3, hidden_dim))
        self.cube_bias = nn.Parameter(torch.zeros(3, hidden_dim))
        self.reset_parameters()

    def reset_parameters(self):
        bound = (6 / (2 * self.hidden_dim)) ** 0.5
        nn.init.uniform_(self.cube, -bound, bound)
        nn.init.uniform_(self.cube_bias, -0.01, 0.01)

    def _role(self, projected, name):
        return projected.select(-2, self.ROLES[name])

    def forward(self, x):
        b, n, d = x.shape
        # one gemm: (b*n, d) x (d, 3d)
        flat = torch.addmm(self.cube_bias.flatten(), x.reshape(-1, d), self.cube.flatten(1))
        projected = flat.unflatten(-1, (3, d)).unflatten(0, (b, n))
        q, k, v = (self._role(projected, r) for r in "qkv")

        sim = torch.einsum("bid,bjd->bij", q, k).mul(d**-0.5)
        sim = sim - sim.amax(-1, keepdim=True)
        attn = sim.exp()
        # normalise after the sum over the values: the denominator does not depend on d
        return attn @ v / attn.sum(-1, keepdim=True)
