import torch
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = self.to_q(x)
        k, v = self.to_kv(x).chunk(2, dim=-1)
        sim = torch.einsum('b i d, b j d -> b i j', q, k) * x.shape[-1] ** -0.5
        if attention_mask is not None:
            sim = sim.masked_fill(attention_mask == 0, -torch.finfo(sim.dtype).max)
        attn = sim.softmax(dim=-1)
        out = self.drop(torch.einsum('b i j, b j d -> b i d', attn, v))
        return self.to_out(out)
