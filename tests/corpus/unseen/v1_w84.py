import torch
import torch.nn.functional as F
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.w_q = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.w_k = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.w_v = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        for w in (self.w_q, self.w_k, self.w_v):
            nn.init.xavier_uniform_(w)
        self._root = None

    def _root_d(self, like: torch.Tensor) -> torch.Tensor:
        # one scalar tensor on the right device, made when the first input is seen
        if self._root is None:
            self._root = torch.full((), self.hidden_dim, dtype=like.dtype, device=like.device).sqrt()
        return self._root

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = F.linear(x, self.w_q), F.linear(x, self.w_k), F.linear(x, self.w_v)
        scores = torch.einsum("bid,bjd->bij", q, k) / self._root_d(x)
        return torch.einsum("bij,bjd->bid", scores.softmax(-1), v)
