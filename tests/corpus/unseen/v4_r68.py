import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm


def masked_softmax(z, allowed, dim):
    """exp / sum over the allowed entries only, zeros elsewhere (also for empty rows)."""
    top = z.detach().masked_fill(~allowed, -torch.inf).amax(dim, keepdim=True)
    top = torch.nan_to_num(top, neginf=0.0)
    z = (z - top).masked_fill(~allowed, -torch.inf)
    e = z.exp()
    s = e.sum(dim, keepdim=True)
    return e / s.masked_fill(s == 0, 1.0)


class SelfAttentionV4(nn.Module):
    """weight-normalised projections (direction and gain learnt apart)"""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()

        def proj():
            return weight_norm(nn.Linear(hidden_dim, hidden_dim), dim=0)

        self.to_values, self.to_keys, self.to_queries = proj(), proj(), proj()
        self.attn_drop = nn.Dropout(p=dropout)
        self.inv_temp = hidden_dim**-0.5

    def forward(self, x, attention_mask=None):
        n = x.size(1)
        if attention_mask is None:
            attention_mask = x.new_ones(1, n, n)
        queries = self.to_queries(x)
        keys = self.to_keys(x)
        values = self.to_values(x)
        z = torch.einsum("nqc,nkc->nqk", queries, keys) * self.inv_temp
        w = self.attn_drop(masked_softmax(z, attention_mask > 0, dim=2))
        return torch.einsum("nqk,nkc->nqc", w, values)
