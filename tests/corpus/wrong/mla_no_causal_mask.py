# wrong: mla causal-missing line 38
from typing import Optional, Tuple
import torch
from torch import nn, Tensor
import torch.nn.functional as F


class LatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.num_heads, self.head_dim, self.rope_dim = num_heads, head_dim, rope_dim
        self.to_q = nn.Linear(hidden_dim, num_heads * head_dim, bias=False)
        self.to_q_rope = nn.Linear(hidden_dim, num_heads * rope_dim, bias=False)
        self.to_latent = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.to_k_rope = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.to_k = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.to_v = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.to_out = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def rope(self, x: Tensor, pos: Tensor) -> Tensor:
        freq = torch.exp(-torch.arange(0, self.rope_dim, 2, device=x.device) / self.rope_dim * 9.210340371976184)
        angle = pos.unsqueeze(-1) * freq
        left, right = x.split(self.rope_dim // 2, dim=-1)
        return torch.cat([left * angle.cos() - right * angle.sin(),
                          right * angle.cos() + left * angle.sin()], dim=-1).to(x.dtype)

    def forward(self, x: Tensor, cache: Optional[Tuple[Tensor, Tensor]] = None):
        past = cache[0].shape[1] if cache else 0
        pos = torch.arange(past, past + x.shape[1], device=x.device)
        latent, k_rope = self.to_latent(x), self.rope(self.to_k_rope(x), pos)
        if cache:
            latent = torch.cat((cache[0], latent), dim=1)
            k_rope = torch.cat((cache[1], k_rope), dim=1)
        q, k, v = (t.unflatten(2, (self.num_heads, -1)).transpose(1, 2)
                   for t in (self.to_q(x), self.to_k(latent), self.to_v(latent)))
        q_rope = self.rope(self.to_q_rope(x).unflatten(2, (self.num_heads, -1)).transpose(1, 2), pos)
        logits = torch.einsum("bhid,bhjd->bhij", q, k) + torch.einsum("bhir,bjr->bhij", q_rope, k_rope)
        weights = F.softmax(logits / (self.head_dim + self.rope_dim) ** 0.5, dim=-1)
        context = torch.einsum("bhij,bhjd->bihd", weights, v).flatten(2)
        return self.to_out(context), (latent, k_rope)
