import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    """W is (3, d, d); one contraction makes a leading axis of three roles."""

    def __init__(self, hidden_dim):
        super().__init__()
        self.W = nn.Parameter(torch.empty(3, hidden_dim, hidden_dim))
        bound = hidden_dim ** -0.5
        nn.init.uniform_(self.W, -bound, bound)

    def forward(self, x):
        d = self.W.shape[-1]
        flat = self.W.permute(1, 0, 2).reshape(d, 3 * d)
        roles = torch.matmul(x, flat).unflatten(-1, (3, d)).movedim(-2, 0)
        query, key, value = roles
        logits = torch.vmap(lambda a, b: a @ b.T)(query, key).div(d ** 0.5)
        odds = torch.exp(logits - logits.amax(dim=-1, keepdim=True))
        return torch.vmap(torch.mm)(odds / odds.sum(dim=-1, keepdim=True), value)
