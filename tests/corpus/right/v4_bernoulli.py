# right: v4
import torch


class SelfAttentionV4(torch.nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = torch.nn.Parameter(torch.randn(hidden_dim, hidden_dim))
        self.k = torch.nn.Parameter(torch.randn(hidden_dim, hidden_dim))
        self.v = torch.nn.Parameter(torch.randn(hidden_dim, hidden_dim))
        self.keep_prob = 1.0 - dropout

    def forward(self, x, attention_mask=None):
        q, k, v = x @ self.q, x @ self.k, x @ self.v
        s = torch.einsum("...id,...jd->...ij", q, k) / q.size(-1) ** 0.5
        if attention_mask is not None:
            penalty = (attention_mask == 0).to(s.dtype) * -30000.0
            s = s + penalty
        s = s - s.logsumexp(dim=-1, keepdim=True)
        a = s.exp()
        if self.training:
            a = a * torch.bernoulli(torch.full_like(a, self.keep_prob)) / self.keep_prob
        return torch.einsum("...ij,...jd->...id", a, v)
