import torch
from torch import nn
from torch.func import vmap


def one_head(x, wq, wk, wv, keep):
    """x: (T, D), w*: (D, d), keep: (T, T) -> (T, d)"""
    s = (x @ wq) @ (x @ wk).T / wq.shape[1] ** 0.5
    # multiply the exponentials by 0/1, then normalise: same thing as -inf before softmax
    shift = torch.where(keep, s, -torch.inf).amax(dim=1, keepdim=True)
    e = torch.exp(torch.where(keep, s - shift, 0.0)) * keep
    return (e / e.sum(dim=1, keepdim=True)) @ (x @ wv)


all_heads = vmap(one_head, in_dims=(None, 0, 0, 0, None), out_dims=1)     # (T, H, d)
all_samples = vmap(all_heads, in_dims=(0, None, None, None, None))        # (B, T, H, d)


class CausalSelfAttention(nn.Module):
    """No output projection (optional)."""

    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.w_in = nn.Parameter(torch.randn(3, num_heads, hidden_dim, hidden_dim // num_heads) * hidden_dim**-0.5)
        self.block_size = block_size

    def forward(self, x):
        t = torch.arange(x.shape[1], device=x.device)
        return all_samples(x, *self.w_in, torch.ge(t.unsqueeze(1), t)).flatten(2)
