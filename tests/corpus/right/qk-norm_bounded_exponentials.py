# right: qk-norm
import torch
from torch import nn


class AttentionWithQKNorm(nn.Module):
    """Softmax written out, in float32 or wider."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.width = hidden_dim // num_heads
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.gamma_q = nn.Parameter(torch.ones(1, 1, 1, self.width))
        self.gamma_k = nn.Parameter(torch.ones(1, 1, 1, self.width))

    def forward(self, x):
        n = x.shape[1]
        q, k, v = self.to_qkv(x).unflatten(-1, (3, self.heads, self.width)).permute(2, 0, 3, 1, 4)
        q = q / (q.norm(dim=-1, keepdim=True).square() / self.width + 1e-6).sqrt() * self.gamma_q
        k = k / (k.norm(dim=-1, keepdim=True).square() / self.width + 1e-6).sqrt() * self.gamma_k
        logits = (q @ k.mT) * self.width ** -0.5
        hidden = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        logits = logits.masked_fill(hidden, float("-inf"))
        shifted = (logits - logits.amax(-1, keepdim=True)).exp()
        share = shifted / shifted.sum(-1, keepdim=True)
        return self.to_out((share @ v).transpose(1, 2).flatten(2))
