# k, v in R^{b x h x s x d}; s = number of positions seen so far, n = number of new ones
import torch
from torch import einsum, nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d = hidden_dim // num_heads
        assert d * num_heads == hidden_dim
        W = lambda: nn.Parameter(torch.randn(num_heads, hidden_dim, d) * hidden_dim**-0.5)
        self.W_Q, self.W_K, self.W_V, self.W_O = W(), W(), W(), W()
        self.c = d**-0.5

    def forward(self, x, cache=None):
        q, k, v = (einsum("bnc,hcd->bhnd", x, W) for W in (self.W_Q, self.W_K, self.W_V))
        kv = torch.stack((k, v))                                  # (2, b, h, n, d)
        kv = kv if cache is None else torch.cat((kv, cache), -2)
        n, s = q.shape[-2], kv.shape[-2]
        i = torch.arange(s - n, s, device=x.device)
        j = torch.arange(s, device=x.device)
        L = self.c * einsum("bhnd,bhsd->bhns", q, kv[0])
        L = L.masked_fill(j > i[:, None], float("-inf"))
        y = einsum("bhns,bhsd,hcd->bnc", L.softmax(-1), kv[1], self.W_O)
        return y, kv
