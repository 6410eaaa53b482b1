# right: minigpt-classifier
import torch
import torch.nn.functional as F
from torch import nn


def layer_norm(x, scale, shift):
    mean = x.mean(-1, keepdim=True)
    var = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) / (var + 1e-5).sqrt() * scale + shift


def block(p, x, bias):
    """One layer as a pure function of its slice of the stacked parameters."""
    y = layer_norm(x, p["ln_scale"][0], p["ln_shift"][0])
    q, k, v = torch.einsum("btd,cdhe->cbhte", y, p["qkv"])
    w = torch.softmax(torch.einsum("bhte,bhse->bhts", q, k) / q.shape[-1] ** 0.5 + bias, dim=-1)
    x = x + torch.einsum("bhts,bhse,hed->btd", w, v, p["out"])
    y = layer_norm(x, p["ln_scale"][1], p["ln_shift"][1])
    return x + F.gelu(y @ p["up"] + p["up_bias"]) @ p["down"] + p["down_bias"]


class GPTClassifier(nn.Module):
    """Axis 0 of every parameter in `stack` is the layer."""

    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        L, D, H = num_layers, hidden_dim, num_heads
        E = D // H
        init = lambda *shape, fan: nn.Parameter(torch.randn(*shape) * fan**-0.5)
        self.stack = nn.ParameterDict(
            dict(
                ln_scale=nn.Parameter(torch.ones(L, 2, D)),
                ln_shift=nn.Parameter(torch.zeros(L, 2, D)),
                qkv=init(L, 3, D, H, E, fan=D),
                out=init(L, H, E, D, fan=D),
                up=init(L, D, 4 * D, fan=D),
                up_bias=nn.Parameter(torch.zeros(L, 4 * D)),
                down=init(L, 4 * D, D, fan=4 * D),
                down_bias=nn.Parameter(torch.zeros(L, D)),
            )
        )
        self.token_table = nn.Parameter(torch.randn(vocab_size, D) * 0.1)
        self.place_table = nn.Parameter(torch.randn(block_size, D) * 0.1)
        self.final = nn.Parameter(torch.stack([torch.ones(D), torch.zeros(D)]))
        self.head_w = init(D, num_classes, fan=D)
        self.head_b = nn.Parameter(torch.zeros(num_classes))
        self.num_layers = L

    def forward(self, tokens, mask):
        real = mask.ne(0)
        place = torch.cumsum(real.int(), dim=1).sub(1).clamp(min=0)
        x = self.token_table[tokens] + self.place_table[place]

        t = torch.arange(tokens.shape[1], device=tokens.device)
        seen = (t[None, :] <= t[:, None]) & real[:, None, None, :]
        # a row without a real key looks at itself; nobody reads what it finds
        seen = seen | (t[None, :] == t[:, None]) & ~real[:, None, :, None]
        bias = torch.zeros_like(seen, dtype=x.dtype).masked_fill(~seen, float("-inf"))

        for i in range(self.num_layers):
            x = block({name: value[i] for name, value in self.stack.items()}, x, bias)
        x = layer_norm(x, self.final[0], self.final[1])

        part = real.to(x.dtype) / real.sum(1, keepdim=True).to(x.dtype)
        return torch.einsum("bt,btd->bd", part, x) @ self.head_w + self.head_b
