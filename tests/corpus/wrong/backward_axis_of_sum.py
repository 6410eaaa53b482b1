# wrong: backward row-sum-wrong-axis line 18
# fair: row-sum-wrong-axis 18, 19
from math import sqrt
from torch import Tensor
import torch


def attention_backward(query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False):
    root = sqrt(query.shape[-1])
    S = query @ key.mT / root
    if causal:
        offset = key.shape[-2] - query.shape[-2]
        visible = torch.ones(S.shape[-2:], dtype=torch.bool, device=S.device).tril(offset)
        S = S.masked_fill(~visible, torch.finfo(S.dtype).min)
    P = torch.softmax(S, dim=-1)
    dV = P.mT @ grad_output
    dP = grad_output @ value.mT
    row = (P * dP).sum(dim=-2, keepdim=True)
    dS = P * (dP - row)
    dQ = dS @ key / root
    dK = dS.mT @ query / root
    return dQ, dK, dV
