# right: mla
# Up-projections in lists, a head each, with the queries' two parts in one layer of its own.
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, dim, heads, nope_dim, rope_dim, kv_rank):
        super().__init__()
        self.q = nn.ModuleList(nn.Linear(dim, nope_dim + rope_dim, bias=False) for _ in range(heads))
        self.kv = nn.ModuleList(nn.Linear(kv_rank, 2 * nope_dim, bias=False) for _ in range(heads))
        self.down = nn.Linear(dim, kv_rank, bias=False)
        self.kr = nn.Linear(dim, rope_dim, bias=False)
        self.o = nn.Linear(heads * nope_dim, dim, bias=False)
        self.nope, self.rope = nope_dim, rope_dim

    def angles(self, n, device):
        i = torch.arange(self.rope // 2, device=device)
        return torch.arange(n, device=device).view(-1, 1) / 10000 ** (2 * i / self.rope)

    def forward(self, x, cache=(None, None)):
        old_c, old_k = cache or (None, None)
        c, k = self.down(x), self.kr(x)
        n = c.shape[1] + (0 if old_c is None else old_c.shape[1])
        ang = self.angles(n, x.device)[-x.shape[1]:]
        rot = lambda z: torch.cat(
            (z[..., : self.rope // 2] * ang.cos() - z[..., self.rope // 2 :] * ang.sin(),
             z[..., self.rope // 2 :] * ang.cos() + z[..., : self.rope // 2] * ang.sin()), -1).to(z.dtype)
        k = rot(k)
        if old_c is not None:
            c, k = torch.cat((old_c, c), 1), torch.cat((old_k, k), 1)
        mask = torch.full((x.shape[1], n), -torch.inf, device=x.device).triu(n - x.shape[1] + 1)
        outs = []
        for q_layer, kv_layer in zip(self.q, self.kv):
            qn, qr = q_layer(x).split((self.nope, self.rope), -1)
            kn, v = kv_layer(c).chunk(2, -1)
            s = torch.baddbmm(qn @ kn.mT, rot(qr), k.mT) / (self.nope + self.rope) ** 0.5
            outs.append(F.softmax(s + mask.to(s.dtype), -1) @ v)
        return self.o(torch.cat(outs, -1)), (c, k)
