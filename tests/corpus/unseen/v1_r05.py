"""Scaled dot-product self-attention, one head.  Raw weights, einsum all the way."""
import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.theta = nn.ParameterDict(
            {name: nn.Parameter(torch.empty(hidden_dim, hidden_dim)) for name in "qkv"}
        )
        self.tau = hidden_dim ** -0.25
        for w in self.theta.values():
            nn.init.xavier_uniform_(w)

    def forward(self, x):
        # 'n' batch, 's'/'t' positions, 'e' input features, 'f' projected features
        q = torch.einsum("nse,fe->nsf", x, self.theta["q"]) * self.tau
        k = torch.einsum("nte,fe->ntf", x, self.theta["k"]) * self.tau
        logits = torch.einsum("nsf,ntf->nst", q, k)
        top = logits.amax(dim=2, keepdim=True).detach()
        mass = (logits - top).exp()
        attn = mass / mass.sum(dim=2, keepdim=True)
        return torch.einsum("nst,nte,fe->nsf", attn, x, self.theta["v"])
