import torch
import torch.nn.functional as F
from torch import nn


def layer_norm(x, scale, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True)
    return scale * (x - mean) * torch.rsqrt(var + eps)


def attend(params, heads, x):
    length = x.shape[1]
    q, k, v = torch.einsum("blc,pce->pble", x, params["in"]).unflatten(-1, (heads, -1))
    logits = torch.einsum("bihe,bjhe->bhij", q, k) / q.shape[-1] ** 0.5
    causal = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
    probs = torch.where(causal, logits, float("-inf")).softmax(-1)
    return torch.einsum("bhij,bjhe->bihe", probs, v).flatten(2) @ params["out"]


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        c = hidden_dim
        self.heads = num_heads
        self.attn = nn.ParameterDict({"in": torch.randn(3, c, c) * c**-0.5, "out": torch.randn(c, c) * c**-0.5})
        self.ffn = nn.ParameterDict({"up": torch.randn(c, 4 * c) * c**-0.5, "down": torch.randn(4 * c, c) * (4 * c) ** -0.5})
        self.scales = nn.ParameterList([torch.ones(c), torch.ones(c)])

    def forward(self, x):
        x = x + attend(self.attn, self.heads, layer_norm(x, self.scales[0]))
        y = F.gelu(layer_norm(x, self.scales[1]) @ self.ffn["up"])
        return x + y @ self.ffn["down"]
