import math
from torch import Tensor, nn


class SelfAttentionV2(nn.Module):
    """One head. The scale goes on before the product, so that nothing overflows in half precision."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.width = hidden_dim
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.scale = 1.0 / math.sqrt(hidden_dim)

    def _project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        query, key, value = self.in_proj(x).split(self.width, dim=-1)
        half_scale = math.sqrt(self.scale)
        query = query * half_scale
        return query, key, value

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self._project(x)
        scores = query @ key.transpose(-2, -1)
        weights = scores.softmax(dim=-1)
        return weights @ value
