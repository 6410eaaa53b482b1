import torch
from torch import einsum, nn


def exists(val):
    return val is not None


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.norm = nn.LayerNorm(dim)
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Linear(dim, dim, bias=False)

    def forward(self, x, mask=None):
        b, n, _, h = *x.shape, self.heads
        # rearrange(t, 'b n (h d) -> b h n d', h = h)
        q, k, v = (t.reshape(b, n, h, -1).transpose(1, 2) for t in self.to_qkv(self.norm(x)).chunk(3, dim=-1))
        sim = einsum('b h i d, b h j d -> b h i j', q * self.scale, k)

        blocked = torch.ones((n, n), dtype=torch.bool, device=x.device).triu(1)
        if exists(mask):
            # 'b j -> b 1 1 j'
            blocked = blocked | ~mask[:, None, None, :]
        sim = sim.masked_fill(blocked, float('-inf'))

        attn = sim.softmax(dim=-1)
        out = einsum('b h i j, b h j d -> b h i d', attn, v)
        return self.to_out(out.transpose(1, 2).reshape(b, n, -1))


def FeedForward(dim, mult=4):
    return nn.Sequential(
        nn.LayerNorm(dim), nn.Linear(dim, dim * mult), nn.GELU(), nn.Linear(dim * mult, dim)
    )


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        self.token_emb = nn.Embedding(vocab_size, hidden_dim)
        self.pos_emb = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList([])
        for _ in range(num_layers):
            self.layers.append(nn.ModuleList([Attention(hidden_dim, num_heads), FeedForward(hidden_dim)]))
        self.norm = nn.LayerNorm(hidden_dim)
        self.to_logits = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens, mask):
        mask = mask != 0
        pos = (mask.long().cumsum(dim=-1) - 1).clamp(min=0)
        x = self.token_emb(tokens) + self.pos_emb(pos)

        for attn, ff in self.layers:
            x = attn(x, mask=mask) + x
            x = ff(x) + x
        x = self.norm(x)

        # masked mean
        x = x.masked_fill(~mask[..., None], 0.)
        x = x.sum(dim=1) / mask.sum(dim=1, keepdim=True)
        return self.to_logits(x)
