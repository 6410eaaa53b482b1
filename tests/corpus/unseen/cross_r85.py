import torch
from torch import Tensor, nn
import torch.nn.functional as F


class BagProjection(nn.Module):
    """x @ W as a bag of embeddings: feature i picks row i of the table, weighted by x_i."""

    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(n_in, n_out) / n_in**0.5)

    def forward(self, x: Tensor) -> Tensor:
        rows = x.reshape(-1, x.shape[-1])
        ids = torch.arange(rows.shape[-1], device=x.device).expand(rows.shape).contiguous()
        wide = torch.promote_types(x.dtype, torch.float32)        # no bags in half precision
        bags = F.embedding_bag(ids, self.table.to(wide), mode="sum", per_sample_weights=rows.to(wide))
        return bags.view(*x.shape[:-1], -1).to(x.dtype)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim must be a multiple of num_heads"
        self.num_heads = num_heads
        self.proj = nn.ModuleDict({n: BagProjection(hidden_dim, hidden_dim) for n in ("query", "key", "value", "out")})
        self.dropout = nn.Dropout(dropout)

    def _heads_first(self, name: str, x: Tensor) -> Tensor:
        return self.proj[name](x).unflatten(2, (self.num_heads, -1)).permute(2, 0, 1, 3).flatten(0, 1)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self._heads_first("query", query)          # (heads * batch, Tq, d)
        k = self._heads_first("key", key)
        v = self._heads_first("value", value)
        scores = torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5
        if mask is not None:
            tiled = (mask == 0).repeat(self.num_heads, 1, 1)      # heads outside, samples inside
            scores = scores.masked_fill(tiled, torch.finfo(scores.dtype).min)
        context = torch.bmm(self.dropout(F.softmax(scores, dim=-1)), v)
        merged = torch.cat(context.chunk(self.num_heads, dim=0), dim=-1)
        return self.proj["out"](merged)
