# right: mla
from __future__ import annotations

import torch
from torch import nn
import torch as jnp


def glorot(*shape):
    return nn.Parameter(torch.randn(*shape) * (2.0 / (shape[-2] + shape[-1])) ** 0.5)


def rope_angles(positions, dim, base=1e4):
    exponent = -2.0 * jnp.arange(dim // 2, dtype=jnp.float64, device=positions.device) / dim
    return positions[:, None].to(jnp.float64) * jnp.pow(base, exponent)[None, :]


def rope(x, positions):
    """x: [..., T, d]"""
    theta = rope_angles(positions, x.shape[-1])
    sin, cos = jnp.sin(theta).to(x.dtype), jnp.cos(theta).to(x.dtype)
    first, second = jnp.split(x, x.shape[-1] // 2, dim=-1)
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], dim=-1)


def one_head(wq, wqr, wuk, wuv, x, latent, k_rope, positions, visible, scale):
    q = x @ wq
    qr = rope(x @ wqr, positions)
    k = latent @ wuk
    v = latent @ wuv
    logits = (q @ k.mT + qr @ k_rope.mT) * scale
    logits = jnp.where(visible, logits, -jnp.inf)
    return jnp.softmax(logits, dim=-1) @ v


def mla_apply(params, x, cache):
    t = x.shape[-2]
    start = 0 if cache is None else cache["latent"].shape[-2]
    positions = jnp.arange(start, start + t, device=x.device)
    latent = x @ params["w_dkv"]
    k_rope = rope(x @ params["w_kr"], positions)
    if cache is not None:
        latent = jnp.concatenate([cache["latent"], latent], dim=-2)
        k_rope = jnp.concatenate([cache["k_rope"], k_rope], dim=-2)
    visible = positions[:, None] >= jnp.arange(start + t, device=x.device)[None, :]
    d, r = params["w_uq"].shape[-1], params["w_qr"].shape[-1]

    over_heads = torch.func.vmap(
        lambda a, b, c, e: one_head(a, b, c, e, x, latent, k_rope, positions, visible, (d + r) ** -0.5),
        out_dims=-2,
    )
    heads = over_heads(params["w_uq"], params["w_qr"], params["w_uk"], params["w_uv"])  # [B, T, H, d]
    out = heads.reshape(*heads.shape[:-2], -1) @ params["w_o"]
    return out, {"latent": latent, "k_rope": k_rope}


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.params = nn.ParameterDict({
            "w_o": glorot(num_heads * head_dim, hidden_dim),
            "w_uv": glorot(num_heads, latent_dim, head_dim),
            "w_uk": glorot(num_heads, latent_dim, head_dim),
            "w_kr": glorot(hidden_dim, rope_dim),
            "w_dkv": glorot(hidden_dim, latent_dim),
            "w_qr": glorot(num_heads, hidden_dim, rope_dim),
            "w_uq": glorot(num_heads, hidden_dim, head_dim),
        })

    def forward(self, x, cache=None):
        return mla_apply(self.params, x, cache)
