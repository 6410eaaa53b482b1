import torch
from torch import Tensor, nn


class OneHead(nn.Module):
    def __init__(self, hidden_dim: int, head_dim: int, dropout: float) -> None:
        super().__init__()
        self.q = nn.Linear(hidden_dim, head_dim)
        self.k = nn.Linear(hidden_dim, head_dim)
        self.v = nn.Linear(hidden_dim, head_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, allowed: Tensor | None) -> Tensor:
        logits = torch.baddbmm(x.new_zeros(()), self.q(x), self.k(x).mT, beta=0, alpha=self.q.out_features**-0.5)
        if allowed is not None:
            logits = logits + torch.zeros_like(logits).masked_fill(allowed == 0, float("-inf"))
        return self.dropout(torch.softmax(logits, 2)).bmm(self.v(x))


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.heads = nn.ModuleList(
            OneHead(hidden_dim, hidden_dim // num_heads, dropout) for _ in range(num_heads)
        )
        self.mix = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        masks = [None] * len(self.heads)
        if attention_mask is not None:
            b, n, _ = x.shape
            masks = attention_mask.expand(b, len(self.heads), n, n).unbind(1)
        return self.mix(torch.cat([head(x, m) for head, m in zip(self.heads, masks)], dim=-1))
