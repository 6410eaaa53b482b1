import torch
from torch import Tensor, einsum, nn


class SelfAttentionV2(nn.Module):
    """d: in features, e: out features, r: role (query, key, value), i/j: positions."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.w_qkv = nn.Parameter(torch.empty(3 * hidden_dim, hidden_dim))
        nn.init.xavier_uniform_(self.w_qkv)

    def forward(self, x: Tensor) -> Tensor:
        fused = einsum("btd,ed->bte", x, self.w_qkv)
        q, k, v = fused.unflatten(-1, (3, self.hidden_dim)).unbind(dim=-2)
        logits = einsum("bie,bje->bij", q, k) / self.hidden_dim**0.5
        probs = logits.softmax(dim=-1)
        return einsum("bji,bje->bie", probs, v)
