# right: minigpt-classifier
# own body; einops-like einsums. Padding may look at itself, so no row is ever empty.
import torch
from torch import nn
from torch.nn import functional as F


class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm = nn.LayerNorm(dim, eps=1e-5)
        self.fn = fn

    def forward(self, x, **kw):
        return self.fn(self.norm(x), **kw) + x


class Attn(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Linear(dim, dim, bias=False)

    def forward(self, x, visible):
        b, n, d = x.shape
        q, k, v = self.to_qkv(x).reshape(b, n, 3, self.heads, -1).unbind(2)
        dots = torch.einsum("bihd,bjhd->bhij", q, k) * q.shape[-1] ** -0.5
        dots = dots.masked_fill(~visible[:, None], float("-inf"))
        out = torch.einsum("bhij,bjhd->bihd", dots.softmax(dim=-1), v)
        return self.to_out(out.reshape(b, n, d))


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        dim = hidden_dim
        self.token_emb = nn.Embedding(vocab_size, dim)
        self.pos_emb = nn.Embedding(block_size, dim)
        self.layers = nn.ModuleList([])
        for _ in range(num_layers):
            ff = nn.Sequential(nn.Linear(dim, dim * 4), nn.GELU(), nn.Linear(dim * 4, dim))
            self.layers.append(nn.ModuleList([PreNorm(dim, Attn(dim, num_heads)), PreNorm(dim, ff)]))
        self.norm = nn.LayerNorm(dim)
        self.to_logits = nn.Linear(dim, num_classes)

    def forward(self, tokens, mask):
        real = mask.bool()
        n = tokens.shape[1]
        rank = F.relu(torch.cumsum(real.int(), dim=-1) - 1)
        tri = torch.ones(n, n, dtype=torch.bool, device=tokens.device).tril()
        eye = torch.eye(n, dtype=torch.bool, device=tokens.device)
        visible = (tri & real[:, None, :]) | eye
        x = self.token_emb(tokens) + self.pos_emb(rank)
        for attn, ff in self.layers:
            x = attn(x, visible=visible)
            x = ff(x)
        x = self.norm(x)
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        share = real.to(wide.dtype) / real.sum(-1, keepdim=True)
        pooled = torch.einsum("bnd,bn->bd", wide, share)
        return self.to_logits(pooled.to(x.dtype))
