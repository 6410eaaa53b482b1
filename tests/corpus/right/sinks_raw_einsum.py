# right: sinks
import torch
from torch import nn


class SinkSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d = hidden_dim // num_heads
        self.scale = d**-0.5
        self.w_q = nn.Parameter(torch.randn(num_heads, hidden_dim, d) * hidden_dim**-0.5)
        self.w_k = nn.Parameter(torch.randn(num_heads, hidden_dim, d) * hidden_dim**-0.5)
        self.w_v = nn.Parameter(torch.randn(num_heads, hidden_dim, d) * hidden_dim**-0.5)
        self.w_o = nn.Parameter(torch.randn(num_heads, d, hidden_dim) * hidden_dim**-0.5)
        self.sink = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x):
        t = x.shape[1]
        q = torch.einsum("bte,hed->bhtd", x, self.w_q) * self.scale
        k = torch.einsum("bte,hed->bhtd", x, self.w_k)
        v = torch.einsum("bte,hed->bhtd", x, self.w_v)
        s = torch.einsum("bhtd,bhsd->bhts", q, k)
        s = s.masked_fill(torch.ones(t, t, device=x.device, dtype=torch.bool).triu(1), -1e4)
        log_norm = torch.logaddexp(s.logsumexp(-1), self.sink[None, :, None])
        p = (s - log_norm.unsqueeze(-1)).exp()
        return torch.einsum("bhts,bhsd,hde->bte", p, v, self.w_o)
