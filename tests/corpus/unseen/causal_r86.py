# minGPT-like, with odd storage: a mask of indices, and one weight (heads, 3, in, out) for all heads and kinds.
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size, *, dropout=0.0, n_head=None):
        super().__init__()
        num_heads = n_head or num_heads            # old name
        size, rest = divmod(hidden_dim, num_heads)
        assert rest == 0
        self.weight = nn.Parameter(torch.randn(num_heads, 3, hidden_dim, size) * hidden_dim**-0.5)
        self.c_proj = nn.Bilinear(1, hidden_dim, hidden_dim, bias=True)
        self.p = dropout
        # how many keys each query sees: 1, 2, 3 ...; the mask itself is made of it by a comparison
        self.register_buffer("visible", torch.arange(1, block_size + 1), persistent=True)

    def forward(self, x):
        t = x.size(1)
        count = self.visible[:t]
        q, k, v = torch.einsum("btc,hjcd->jbhtd", x, self.weight)
        att = torch.einsum("bhid,bhjd->bhij", q, k) * self.weight.size(-1) ** -0.5
        att = att.masked_fill((count[None, :] > count[:, None]), float("-inf"))
        att = F.dropout(F.softmax(att, dim=-1), p=self.p, training=self.training)
        y = torch.einsum("bhij,bhjd->bihd", att, v).flatten(2)
        one = torch.ones_like(y[..., :1])
        return self.c_proj(one, y)
