# wrong: v2 softmax-unstable line 18, residual-added line 21
# fair: softmax-unstable 18 19
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, n_feat):
        super().__init__()
        self.mix = nn.Linear(n_feat, 3 * n_feat)
        self.out = nn.Linear(n_feat, n_feat)
        self.s = n_feat ** -0.5

    def forward(self, x):
        n = x.size(-1)
        packed = self.mix(x)
        q, k, v = packed.narrow(-1, 0, n), packed.narrow(-1, n, n), packed.narrow(-1, 2 * n, n)
        e = torch.exp(self.s * torch.bmm(q, k.transpose(1, 2)))
        p = e / e.sum(dim=2, keepdim=True)
        y = self.out(torch.bmm(p, v))
        return y + x
