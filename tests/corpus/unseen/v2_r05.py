# attn-kata: v2
import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    """value, key, query live along the first axis of one tensor."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.vkq_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)

    def forward(self, x):
        vkq = self.vkq_proj(x).unflatten(-1, (3, self.hidden_dim))
        value, key, query = vkq.movedim(-2, 0)
        logits = torch.einsum("btd,bsd->bts", query, key) * self.hidden_dim ** -0.5
        logits = logits - logits.amax(dim=-1, keepdim=True).detach()
        unnorm = torch.exp(logits)
        return torch.einsum("bts,bsd->btd", unnorm / unnorm.sum(-1, keepdim=True), value)
