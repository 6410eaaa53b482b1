# S[b,h,i,j] = <q_i, k_j> / sqrt(d_h),  summed over j <= i only.
import torch
from torch import einsum, nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.H, self.n_max = num_heads, block_size
        dh, r = divmod(hidden_dim, num_heads)
        assert r == 0
        self.dh = dh
        # last axis: q, k, v
        self.W = nn.Parameter(torch.randn(hidden_dim, num_heads, dh, 3) * hidden_dim**-0.5)
        self.O = nn.Parameter(torch.randn(num_heads, dh, hidden_dim) * hidden_dim**-0.5)

    def forward(self, x):
        n = x.shape[1]
        assert n <= self.n_max
        q, k, v = einsum("bic,chds->sbhid", x, self.W)
        idx = torch.arange(n, device=x.device)
        future = idx[None, :] > idx[:, None]
        S = einsum("bhid,bhjd->bhij", q, k) / self.dh**0.5
        S = S.where(~future, S.new_tensor(float("-inf")))
        E = (S - S.amax(-1, keepdim=True)).exp()
        num = einsum("bhij,bhjd->bhid", E, v)
        return einsum("bhid,hdc->bic", num / E.sum(-1, keepdim=True), self.O)
