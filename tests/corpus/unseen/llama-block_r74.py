import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.gain = nn.Parameter(torch.zeros(width))  # stored less 1
        self.inner = inner

    def forward(self, x, *rest):
        root = x.square().mean(-1, keepdim=True).add(1e-5).sqrt()
        return x + self.inner(x / root * (1 + self.gain), *rest)


class KVHead(nn.Module):
    """one key, one value, and the queries that share them"""

    def __init__(self, width, dim, sharing):
        super().__init__()
        self.key = nn.Linear(width, dim, bias=False)
        self.value = nn.Linear(width, dim, bias=False)
        self.queries = nn.ModuleList(nn.Linear(width, dim, bias=False) for _ in range(sharing))

    @staticmethod
    def rotate(t, cos, sin):
        half = t.shape[-1] // 2
        a, b = t[..., :half], t[..., half:]
        return torch.cat((torch.addcmul(a * cos, b, sin, value=-1), torch.addcmul(b * cos, a, sin)), -1)

    def forward(self, u, cos, sin):
        k, v = self.rotate(self.key(u), cos, sin), self.value(u)
        late = torch.ones(u.shape[1], u.shape[1], device=u.device).tril().logical_not()
        for to_q in self.queries:
            q = self.rotate(to_q(u), cos, sin)
            s = torch.bmm(q, k.mT).mul(k.shape[-1] ** -0.5).masked_fill(late, -torch.inf)
            yield s.softmax(2).bmm(v)


class Heads(nn.Module):
    def __init__(self, width, num_heads, num_kv_heads):
        super().__init__()
        share = num_heads // num_kv_heads
        self.groups = nn.ModuleList(KVHead(width, width // num_heads, share) for _ in range(num_kv_heads))
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, u, cos, sin):
        return self.out(torch.cat([y for g in self.groups for y in g(u, cos, sin)], dim=-1))


class SwiGLU(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.gate, self.up, self.down = (nn.Linear(a, b, bias=False) for a, b in ((width, inner),) * 2 + ((inner, width),))

    def forward(self, u):
        z = self.gate(u)
        return self.down(z * torch.sigmoid(z) * self.up(u))


class LlamaBlock(nn.Sequential):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__(Residual(hidden_dim, Heads(hidden_dim, num_heads, num_kv_heads)),
                         Residual(hidden_dim, SwiGLU(hidden_dim, mlp_dim)))

    def forward(self, x, cos, sin):
        attend, think = self
        return think(attend(x, cos, sin))
