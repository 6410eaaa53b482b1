# attn-kata: layernorm
from __future__ import annotations

import torch
from torch import Tensor


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    """Normalise each position over its features, then scale and shift these.

    x        (batch, length, hidden_dim), any float dtype
    weight   (hidden_dim,), by which normalised features are multiplied
    bias     (hidden_dim,), which is added then
    eps      added to the variance, inside the root
    returns  (batch, length, hidden_dim)

    Not to be used: nn.LayerNorm, F.layer_norm and other norms of torch.
    """
    raise NotImplementedError("write me")


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    """The loss's gradients with respect to x, weight and bias.

    grad_output  (batch, length, hidden_dim), the loss's gradient with respect to the output
    x, weight    what the forward pass was given
    returns      grad_x (batch, length, hidden_dim), grad_weight and grad_bias (hidden_dim,)

    By hand: autograd may not be used, nor torch's own backward of a norm. Only values are
    judged, no gradients of gradients.
    """
    raise NotImplementedError("write me")
