# wrong: backward (error) weights @ grad_output without a transpose cannot be multiplied
import torch


def attention_backward(query, key, value, grad_output, causal=False):
    scale = query.shape[-1] ** 0.5
    p = torch.softmax(query @ key.mT / scale, dim=-1)
    grad_value = p @ grad_output
    dp = grad_output @ value.mT
    ds = p * (dp - (p * dp).sum(-1, keepdim=True)) / scale
    return ds @ key, ds.mT @ query, grad_value
