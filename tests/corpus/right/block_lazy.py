# right: block
import torch, torch.nn as nn
class DecoderBlock(nn.Module):
    def __init__(self, hidden_size, num_attention_heads, max_position_embeddings, attn_dropout, layer_norm_eps, hidden_act="gelu"):
        super().__init__()
        self.nh = num_attention_heads
        self.attn_norm = nn.LayerNorm(hidden_size, eps=layer_norm_eps)
        self.ffn_norm = nn.LayerNorm(hidden_size, eps=layer_norm_eps)
        self.q, self.k, self.v = nn.LazyLinear(hidden_size), nn.LazyLinear(hidden_size), nn.LazyLinear(hidden_size)
        self.out = nn.LazyLinear(hidden_size)
        self.ffn = nn.Sequential(nn.LazyLinear(4 * hidden_size), nn.GELU(), nn.Dropout(attn_dropout), nn.LazyLinear(hidden_size))
        self.register_buffer("mask", torch.triu(torch.full((max_position_embeddings,) * 2, float("-inf")), 1))
    def forward(self, x):
        B, T, E = x.shape
        h = self.attn_norm(x)
        sp = lambda t: t.reshape(B, T, self.nh, -1).permute(0, 2, 1, 3)
        a = torch.softmax(sp(self.q(h)) @ sp(self.k(h)).transpose(-1, -2) / (E / self.nh) ** .5 + self.mask[:T, :T], -1)
        x = x + self.out((a.to(x.dtype) @ sp(self.v(h))).permute(0, 2, 1, 3).reshape(B, T, E))
        return x + self.ffn(self.ffn_norm(x))
