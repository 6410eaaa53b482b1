from torch import nn, Tensor
import torch


class SelfAttentionV1(nn.Module):
    # whiteboard version: three raw matrices, everything through einsum
    def __init__(self, hidden_dim):
        super().__init__()
        d = hidden_dim
        self.Wq = nn.Parameter(torch.randn(d, d) / d**0.5)
        self.Wk = nn.Parameter(torch.randn(d, d) / d**0.5)
        self.Wv = nn.Parameter(torch.randn(d, d) / d**0.5)

    def forward(self, x: Tensor) -> Tensor:
        q = torch.einsum("btc,cd->btd", x, self.Wq)
        k = torch.einsum("btc,cd->btd", x, self.Wk)
        v = torch.einsum("btc,cd->btd", x, self.Wv)
        # transposed on purpose: rows are keys here, so the softmax runs down the columns
        s = torch.einsum("bsd,btd->bst", k, q * q.shape[-1] ** -0.5)
        a = s.softmax(dim=1)
        return torch.einsum("bst,bsd->btd", a, v)
