import torch
from torch import nn


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.sizes = hidden_dim, num_heads, num_kv_heads, hidden_dim // num_heads, mlp_dim
        d, h, kv, e, m = self.sizes
        w = lambda *shape: nn.Parameter(torch.randn(*shape) / d ** 0.5)
        self.g = nn.Parameter(torch.ones(2, d))
        # a group: its queries, then its key, then its value
        self.qkv = w(kv, h // kv + 2, e, d)
        self.o = w(h, e, d)
        self.gate_up = w(m, 2, d)
        self.down = w(m, d)

    def forward(self, x, cos, sin):
        d, h, kv, e, m = self.sizes
        b, n, _ = x.shape
        norm = lambda t, g: (t * (t.square().mean(-1, keepdim=True) + 1e-5).pow(-0.5)).to(g.dtype) * g
        wide = torch.promote_types(x.dtype, torch.float32)
        u = norm(x.to(wide), self.g[0])
        z = torch.einsum("bnd,gred->bgrne", u, self.qkv)
        qk, v = z[:, :, :-1], z[:, :, -1]
        rot = torch.view_as_real(
            torch.complex(qk[..., : e // 2].double(), qk[..., e // 2 :].double())
            * torch.complex(cos.double(), sin.double())
        ).to(x.dtype)
        qk = torch.cat((rot[..., 0], rot[..., 1]), -1)
        s = torch.einsum("bgrie,bgje->bgrij", qk[:, :, :-1], qk[:, :, -1]) / e ** 0.5
        i = torch.arange(n, device=x.device)
        s = torch.where(i[:, None] >= i, s, torch.finfo(s.dtype).min)
        a = torch.einsum("bgrij,bgje->bigre", torch.softmax(s, -1), v)
        y = x + torch.einsum("bihe,hed->bid", a.reshape(b, n, h, e), self.o)
        u = norm(y.to(wide), self.g[1])
        t = torch.einsum("bnd,mcd->cbnm", u, self.gate_up)
        return y + (t[0] * t[0].sigmoid() * t[1]) @ self.down
