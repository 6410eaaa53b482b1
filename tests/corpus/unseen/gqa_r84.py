import math
import torch
from torch import Tensor, nn


class _Group(nn.Module):
    """One key and value head, and the query heads that read it. Registers itself by its kind."""

    kinds: dict[str, type] = {}

    def __init_subclass__(cls, kind: str, **kw) -> None:
        super().__init_subclass__(**kw)
        _Group.kinds[kind] = cls


class _Shared(_Group, kind="shared"):
    def __init__(self, width: int, queries: int, d: int) -> None:
        super().__init__()
        self.queries, self.d = queries, d
        self.q = nn.Linear(width, queries * d)
        self.kv = nn.Linear(width, 2 * d)
        self.out = nn.Linear(queries * d, width, bias=False)

    def forward(self, x: Tensor, hidden: Tensor | None) -> Tensor:
        b, t, _ = x.shape
        k, v = self.kv(x).chunk(2, -1)
        # the query heads are laid behind one another, as if they were more positions
        q = self.q(x).view(b, t, self.queries, self.d).transpose(1, 2).reshape(b, self.queries * t, self.d)
        s = torch.bmm(q, k.mT).view(b, self.queries, t, t) / math.sqrt(self.d)
        if hidden is not None:
            s = s.masked_fill(hidden, torch.finfo(s.dtype).min)
        y = torch.bmm(s.softmax(-1).view(b, -1, t), v).view(b, self.queries, t, self.d)
        return self.out(y.transpose(1, 2).flatten(2))


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads or num_heads % num_kv_heads:
            raise ValueError((hidden_dim, num_heads, num_kv_heads))
        self.per_group = num_heads // num_kv_heads
        make = _Group.kinds["shared"]
        self.groups = nn.ModuleList(
            make(hidden_dim, self.per_group, hidden_dim // num_heads) for _ in range(num_kv_heads)
        )
        self.out_bias = nn.Parameter(torch.zeros(hidden_dim))

    def _part(self, hidden: Tensor | None, g: int) -> Tensor | None:
        if hidden is None or hidden.shape[1] == 1:
            return hidden
        return hidden[:, g * self.per_group : (g + 1) * self.per_group]

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        hidden = None if attention_mask is None else attention_mask == 0
        # [heads] Wo = the sum over groups of their heads times their rows of Wo
        return sum((group(x, self._part(hidden, g)) for g, group in enumerate(self.groups)), self.out_bias)
