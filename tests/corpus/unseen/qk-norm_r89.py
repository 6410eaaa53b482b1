import torch
from torch import nn
from torch.nn.functional import linear


def unit_rms(u, eps=1e-6):
    f = u if u.dtype == torch.float64 else u.float()
    return f * (f * f).mean(dim=-1, keepdim=True).add(eps).rsqrt()


class QKNormAttention(nn.Module):
    """Both gains act feature by feature on the same product, so one multiplication does for both."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.w = nn.ParameterList(nn.Parameter(torch.empty(hidden_dim, hidden_dim)) for _ in range(4))
        for w in self.w:
            nn.init.kaiming_uniform_(w, a=5**0.5)
        self.query_gain = nn.Parameter(torch.ones(hidden_dim // num_heads))
        self.key_gain = nn.Parameter(torch.ones(hidden_dim // num_heads))

    def head_views(self, x):
        for w in self.w[:3]:
            yield torch.stack(linear(x, w).chunk(self.heads, dim=-1))  # h b t d

    def forward(self, x):
        q, k, v = self.head_views(x)
        q, k = unit_rms(q), unit_rms(k)
        gain = self.query_gain.to(q.dtype) * self.key_gain.to(q.dtype)
        s = (q * gain) @ k.mT / q.shape[-1] ** 0.5
        t = x.shape[1]
        s = s + torch.full((t, t), float("-inf"), dtype=s.dtype, device=s.device).triu(diagonal=1)
        context = torch.softmax(s, dim=-1).to(v.dtype) @ v
        return linear(torch.cat(tuple(context), dim=-1), self.w[3])
