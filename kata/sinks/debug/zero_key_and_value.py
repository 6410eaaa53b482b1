import torch
from torch import nn, Tensor


class CausalSelfAttention(nn.Module):
    """Attention with a sink, in the manner of nanoGPT."""

    def __init__(self, n_embd: int, n_head: int):
        super().__init__()
        self.n_head = n_head
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.attn_sink = nn.Parameter(torch.zeros(n_head))

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        hs = C // self.n_head
        q = q.view(B, T, self.n_head, hs).transpose(1, 2)
        k = k.view(B, T, self.n_head, hs).transpose(1, 2)
        v = v.view(B, T, self.n_head, hs).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * hs ** -0.5
        att = torch.cat((self.attn_sink.view(1, -1, 1, 1).expand(B, -1, T, 1), att), dim=3)
        mask = torch.tril(torch.ones(T, T + 1, device=x.device), diagonal=1)
        att = att.masked_fill(mask == 0, float("-inf")).softmax(dim=3)
        v = torch.cat((torch.zeros_like(v[:, :, :1]), v), dim=2)
        y = att @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))
