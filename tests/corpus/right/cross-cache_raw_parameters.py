# right: cross-cache
import torch
from torch import Tensor, nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        d = hidden_dim // num_heads
        self.w_q = nn.Parameter(torch.randn(num_heads, hidden_dim, d) * 0.02)
        self.w_k = nn.Parameter(torch.randn(num_heads, hidden_dim, d) * 0.02)
        self.w_v = nn.Parameter(torch.randn(num_heads, hidden_dim, d) * 0.02)
        self.w_o = nn.Parameter(torch.randn(num_heads, d, hidden_dim) * 0.02)

    def forward(self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache=None):
        if cache is None:
            k = torch.einsum("bse,hed->bhsd", memory, self.w_k)
            v = torch.einsum("bse,hed->bhsd", memory, self.w_v)
            cache = (k, v, memory_lengths.clone())
        k, v, lengths = cache
        q = torch.einsum("bte,hed->bhtd", x, self.w_q)
        s = torch.einsum("bhtd,bhsd->bhts", q, k) * k.shape[-1] ** -0.5
        inside = torch.arange(k.shape[2], device=k.device).expand(len(lengths), -1) < lengths[:, None]
        s = torch.where(inside[:, None, None], s, torch.full_like(s, float("-inf")))
        a = torch.exp(s - torch.logsumexp(s, dim=-1, keepdim=True))
        return torch.einsum("bhts,bhsd,hde->bte", a, v, self.w_o), cache
