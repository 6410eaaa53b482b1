import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    """Kernels know of groups: wq is (D, G, R, d), so nothing is ever repeated.  g = group, r = member."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        r, rest = divmod(num_heads, num_kv_heads)
        d, rest2 = divmod(hidden_dim, num_heads)
        assert rest == 0 and rest2 == 0
        init = lambda *s: nn.Parameter(torch.randn(*s).mul_(hidden_dim**-0.5))
        self.wq = init(hidden_dim, num_kv_heads, r, d)
        self.wkv = init(2, hidden_dim, num_kv_heads, d)
        self.wo = init(num_kv_heads, r, d, hidden_dim)

    def forward(self, x, attention_mask=None):
        q = torch.einsum("btm,mgrd->btgrd", x, self.wq)
        k, v = torch.einsum("bsm,cmgd->cbsgd", x, self.wkv)
        s = torch.einsum("btgrd,bsgd->bgrts", q, k) / q.shape[-1] ** 0.5
        if attention_mask is not None:
            m = attention_mask != 0
            # heads axis -> (groups, members), or (1, 1)
            m = m.unflatten(1, s.shape[1:3] if m.shape[1] > 1 else (1, 1))
            s = s.masked_fill(~m, -torch.inf)
        return torch.einsum("bgrts,bsgd,grdm->btm", s.softmax(-1), v, self.wo)
