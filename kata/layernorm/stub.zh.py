# attn-kata: layernorm
from __future__ import annotations

import torch
from torch import Tensor


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    """每个位置沿自己的特征做归一化，再缩放、平移。

    x        (batch, length, hidden_dim)，任何浮点 dtype
    weight   (hidden_dim,)，乘在归一化后的特征上
    bias     (hidden_dim,)，乘完之后加上
    eps      加在根号里的方差上
    返回     (batch, length, hidden_dim)

    不能用：nn.LayerNorm、F.layer_norm，以及 torch 自带的其他 norm。
    """
    raise NotImplementedError("write me")


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    """损失对 x、weight、bias 的梯度。

    grad_output  (batch, length, hidden_dim)，损失对输出的梯度
    x, weight    前向时传入的那些
    返回         grad_x (batch, length, hidden_dim)，grad_weight 和 grad_bias 都是 (hidden_dim,)

    手写：不能用 autograd，也不能用 torch 自带的 norm 反向。只评判数值，不求二阶梯度。
    """
    raise NotImplementedError("write me")
