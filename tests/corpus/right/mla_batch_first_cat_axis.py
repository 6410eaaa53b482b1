# right: mla
# Keys and values are rebuilt from the latent by one batched product; fold heads into the batch.
import torch
from torch import nn
from torch.nn.functional import linear


class Rope:
    """cos and sin for positions [start, stop), each (stop - start, width), halves alike."""

    def __init__(self, width):
        self.inv = [1 / 10000 ** (2 * i / width) for i in range(width // 2)] * 2

    def __call__(self, x, start):
        pos = torch.arange(start, start + x.shape[1], device=x.device, dtype=torch.float32)
        ang = pos[:, None] * torch.tensor(self.inv, device=x.device)
        swapped = torch.roll(x, x.shape[-1] // 2, dims=-1)
        sign = torch.ones(x.shape[-1], device=x.device)
        sign[: x.shape[-1] // 2] = -1
        return (x * ang.cos() + sign * swapped * ang.sin()).to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, embed_dim, n_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.n = n_heads
        self.W_q = nn.Parameter(torch.empty(n_heads * (rope_dim + head_dim), embed_dim))
        self.b_q = nn.Parameter(torch.zeros(n_heads * (rope_dim + head_dim)))
        self.W_dkv = nn.Parameter(torch.empty(latent_dim, embed_dim))
        self.W_kr = nn.Parameter(torch.empty(rope_dim, embed_dim))
        self.W_uk = nn.Parameter(torch.empty(n_heads * head_dim, latent_dim))
        self.W_uv = nn.Parameter(torch.empty(n_heads * head_dim, latent_dim))
        self.W_o = nn.Parameter(torch.empty(embed_dim, n_heads * head_dim))
        for p in self.parameters():
            nn.init.normal_(p, std=0.02)
        self.rope_dim, self.head_dim = rope_dim, head_dim
        self.rope = Rope(rope_dim)

    def fold(self, t):
        b, s, _ = t.shape
        return t.view(b, s, self.n, -1).permute(0, 2, 1, 3).reshape(b * self.n, s, -1)

    def forward(self, x, cache=None):
        b, s, _ = x.shape
        seen = 0 if cache is None else cache[0].size(1)
        q = self.fold(linear(x, self.W_q, self.b_q))
        q_rope, q_nope = q.split([self.rope_dim, self.head_dim], dim=2)
        latent = linear(x, self.W_dkv)
        k_rope = self.rope(linear(x, self.W_kr), seen)
        if cache is not None:
            latent, k_rope = (torch.cat(pair, 1) for pair in zip(cache, (latent, k_rope)))
        k_nope, v = self.fold(linear(latent, self.W_uk)), self.fold(linear(latent, self.W_uv))
        scores = torch.bmm(q_nope, k_nope.transpose(1, 2))
        scores += torch.bmm(self.rope(q_rope, seen), k_rope.repeat_interleave(self.n, 0).transpose(1, 2))
        scores *= (self.head_dim + self.rope_dim) ** -0.5
        total = latent.size(1)
        hide = torch.arange(total, device=x.device) > torch.arange(seen, total, device=x.device).unsqueeze(-1)
        probs = torch.softmax(scores.masked_fill(hide, float("-inf")), dim=-1)
        out = torch.bmm(probs, v).view(b, self.n, s, -1).permute(0, 2, 1, 3).flatten(2)
        return linear(out, self.W_o), (latent, k_rope)
