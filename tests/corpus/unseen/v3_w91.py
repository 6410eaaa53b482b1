import torch
import torch.nn as nn
import torch.nn.functional as F


def as_bias(mask, dtype):
    """0/1 mask -> what is added to the scores: 0 where allowed, hugely negative where not."""
    bias = mask.to(dtype)
    return bias.sub_(1).mul_(torch.finfo(dtype).max)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.p = dropout

    def forward(self, x, attention_mask=None):
        q = self.to_q(x) * x.size(-1) ** -0.5
        k, v = self.to_k(x), self.to_v(x)
        sim = torch.einsum("b i d, b j d -> b i j", q, k)
        if attention_mask is not None:
            sim = sim + as_bias(attention_mask, sim.dtype)
        attn = F.dropout(sim.softmax(dim=-1), self.p, self.training)
        return self.to_out(torch.einsum("b i j, b j d -> b i d", attn, v))
