import torch
from torch import Tensor, nn


class Conv1D(nn.Module):
    """GPT-2's Conv1D: a Linear whose weight is stored (nx, nf), and which uses addmm."""

    def __init__(self, nf: int, nx: int):
        super().__init__()
        self.nf = nf
        self.weight = nn.Parameter(torch.empty(nx, nf))
        self.bias = nn.Parameter(torch.zeros(nf))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, x: Tensor) -> Tensor:
        size_out = x.size()[:-1] + (self.nf,)
        x = torch.addmm(self.bias, x.reshape(-1, x.size(-1)), self.weight)
        return x.view(size_out)


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int):
        super().__init__()
        self.split_size = hidden_dim
        self.c_attn = Conv1D(3 * hidden_dim, hidden_dim)

    @staticmethod
    def _stable_softmax(w: Tensor) -> Tensor:
        w = w - w.amax(dim=-1, keepdim=True)
        w = w.exp()
        return w / w.sum(dim=-1, keepdim=True)

    def _attn(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        w = torch.matmul(q, k.transpose(-1, -2))
        w = w / torch.full([], float(v.size(-1)) ** 0.5, dtype=w.dtype, device=w.device)
        return torch.matmul(self._stable_softmax(w), v)

    def forward(self, x: Tensor) -> Tensor:
        # here the order is value, key, query
        value, key, query = self.c_attn(x).split(self.split_size, dim=2)
        return self._attn(query, key, value)
