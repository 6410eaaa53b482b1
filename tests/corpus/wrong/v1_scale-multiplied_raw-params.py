# wrong: v1 scale-multiplied line 20
import torch
import torch.nn as nn


class RawAttention(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n
        bound = 1.0 / n ** 0.5
        self.U_q = nn.Parameter(torch.empty(n, n).uniform_(-bound, bound))
        self.U_k = nn.Parameter(torch.empty(n, n).uniform_(-bound, bound))
        self.U_v = nn.Parameter(torch.empty(n, n).uniform_(-bound, bound))

    def forward(self, inp):
        q = torch.einsum("bti,ij->btj", inp, self.U_q)
        k = torch.einsum("bti,ij->btj", inp, self.U_k)
        v = torch.einsum("bti,ij->btj", inp, self.U_v)
        logits = torch.einsum("bti,bsi->bts", q, k)
        logits = logits * self.n ** 0.5
        p = logits.softmax(-1)
        return torch.einsum("bts,bsj->btj", p, v)
