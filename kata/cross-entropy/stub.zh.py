# attn-kata: cross-entropy
from __future__ import annotations

import torch
from torch import Tensor


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    """在算数的位置上求 -log p(目标) 的平均。

    logits           (batch, length, classes)，任何浮点 dtype；p 是它的 softmax
    targets          (batch, length)，整数：类别，0 到 classes - 1，或者 ignore_index
    ignore_index     目标等于它的位置不算：既不进总和，也不进除数。它可能本身是一个类别，也可能
                     不是任何类别
    label_smoothing  从目标的 1 里拿出这么多，平均分给所有类别，包括目标自己
    返回             标量；至少有一个位置算数

    手写：不能用 torch 的 cross_entropy、nll_loss、softmax、log_softmax、logsumexp。logits 上千
    时不能出现 NaN 或无穷。
    """
    raise NotImplementedError("write me")


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    """这个损失对 logits 的梯度。

    返回     (batch, length, classes)，不算数的位置是 0

    同样手写：不能用 autograd。只评判数值，不求二阶梯度。
    """
    raise NotImplementedError("write me")
