import torch
import torch.nn.functional as F
from torch import nn


class SwiGLU(torch.autograd.Function):
    """unsloth's swiglu kernel as a Function: e the gate, g the other branch"""

    @staticmethod
    def forward(ctx, e, g):
        ctx.save_for_backward(e, g)
        return F.silu(e) * g

    @staticmethod
    def backward(ctx, dh):
        e, g = ctx.saved_tensors
        se = torch.sigmoid(e)
        return dh * g * se * (1 + e * (1 - se)), dh * e * se


class Weights(nn.ParameterDict):
    def __init__(self, **shapes):
        super().__init__({name: nn.Parameter(torch.randn(*shape) * shape[-1] ** -0.5) for name, shape in shapes.items()})


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        hd = hidden_dim // num_heads
        self.geometry = num_heads, num_kv_heads, hd
        self.w = Weights(
            wq=(num_kv_heads, num_heads // num_kv_heads, hd, hidden_dim),
            wk=(num_kv_heads, hd, hidden_dim),
            wv=(num_kv_heads, hd, hidden_dim),
            wo=(num_heads, hd, hidden_dim),
            gate=(mlp_dim, hidden_dim),
            up=(mlp_dim, hidden_dim),
            down=(hidden_dim, mlp_dim),
        )
        self.scale = nn.Parameter(torch.ones(2, hidden_dim))       # before attention, before the mlp

    def rms(self, u, which):
        wide = u.to(torch.promote_types(u.dtype, torch.float32))
        wide = wide / torch.sqrt(torch.mean(wide * wide, dim=-1, keepdim=True) + 1e-5)
        return wide.to(u.dtype) * self.scale[which]

    @staticmethod
    def rotate(t, cos, sin):
        a, b = t.unflatten(-1, (2, -1)).unbind(-2)
        return torch.stack((a * cos - b * sin, b * cos + a * sin), dim=-2).flatten(-2)

    def attend(self, u, cos, sin):
        q = self.rotate(torch.einsum("btc,grdc->bgrtd", u, self.w["wq"]), cos, sin)
        k = self.rotate(torch.einsum("btc,gdc->bgtd", u, self.w["wk"]), cos, sin)
        v = torch.einsum("btc,gdc->bgtd", u, self.w["wv"])
        logits = torch.einsum("bgrid,bgjd->bgrij", q, k) / self.geometry[-1] ** 0.5
        t = torch.arange(u.size(1), device=u.device)
        logits = logits.masked_fill(t[:, None] < t, float("-inf"))
        y = torch.einsum("bgrij,bgjd->bgrid", logits.softmax(-1), v).flatten(1, 2)
        return torch.einsum("bhid,hdc->bic", y, self.w["wo"])

    def forward(self, x, cos, sin):
        h = x + self.attend(self.rms(x, 0), cos, sin)
        u = self.rms(h, 1)
        inner = SwiGLU.apply(F.linear(u, self.w["gate"]), F.linear(u, self.w["up"]))
        return h + F.linear(inner, self.w["down"])
