# attn-kata: v1
# I write everything with einsum, letters: b batch, i query, j key, d/e feature
import torch
from torch import nn, einsum


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.W = nn.ParameterDict({
            name: nn.Parameter(torch.randn(hidden_dim, hidden_dim) * hidden_dim ** -0.5)
            for name in ("query", "key", "value")
        })
        self.tau = hidden_dim ** 0.5

    def forward(self, x):
        q = einsum("bid,de->bie", x, self.W["query"])
        k = einsum("bjd,de->bje", x, self.W["key"])
        v = einsum("bjd,de->bje", x, self.W["value"])
        logits = einsum("bie,bje->bij", q, k).div(self.tau)
        # numerically safe softmax over j
        logits = logits - logits.amax(dim=2, keepdim=True)
        num = logits.exp()
        share = num / num.sum(dim=2, keepdim=True)
        return einsum("bij,bje->bie", share, v)
