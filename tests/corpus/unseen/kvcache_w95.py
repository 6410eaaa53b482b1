import math
import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    """prefill + decode"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_h = num_heads
        self.d_h = hidden_dim // num_heads
        self.w_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        bsz, n_new, dim = x.shape

        # 1. project
        q = self.w_q(x).reshape(bsz, n_new, self.n_h, self.d_h).permute(0, 2, 1, 3)
        k = self.w_k(x).reshape(bsz, n_new, self.n_h, self.d_h).permute(0, 2, 3, 1)  # d before length
        v = self.w_v(x).reshape(bsz, n_new, self.n_h, self.d_h).permute(0, 2, 1, 3)

        # 2. prepend what we already have
        prefill = cache is None
        if not prefill:
            old_k, old_v = cache
            k = torch.cat((old_k, k), dim=3)
            v = torch.cat((old_v, v), dim=2)

        # 3. scores
        s = torch.matmul(q, k) / math.sqrt(self.d_h)

        # 4. mask
        if prefill:
            n_all = s.size(-1)
            hide = torch.ones(n_new, n_all, device=x.device).triu(n_all - n_new + 1).bool()
            s = s.masked_fill(hide, -math.inf)

        # 5. mix
        y = torch.matmul(torch.softmax(s, dim=-1), v)
        y = y.permute(0, 2, 1, 3).reshape(bsz, n_new, dim)
        return self.w_o(y), (k, v)
