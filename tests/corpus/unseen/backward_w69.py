import math
from typing import NamedTuple

import torch
from torch import Tensor


class Saved(NamedTuple):
    probs: Tensor
    scaling: float


class EagerAttention:
    """forward / backward as in a torch.autograd.Function, without being one"""

    @staticmethod
    def recompute(query, key, is_causal) -> Saved:
        scaling = 1.0 / math.sqrt(query.shape[-1])
        scores = torch.matmul(query, key.transpose(2, 3)) * scaling
        if is_causal:
            q_len, kv_len = scores.shape[-2:]
            keep = torch.ones(q_len, kv_len, dtype=torch.bool, device=scores.device)
            keep = keep.tril(diagonal=kv_len - q_len)
            scores = scores.masked_fill(keep.logical_not(), torch.finfo(scores.dtype).min)
        return Saved(torch.softmax(scores, dim=-1), scaling)

    @staticmethod
    def softmax_grad(probs, grad_probs):
        weighted = probs * grad_probs
        row_sum = weighted.sum(dim=-1, keepdim=True)
        return weighted - row_sum

    @classmethod
    def backward(cls, saved, query, key, value, grad_output):
        grad_value = torch.matmul(saved.probs.transpose(2, 3), grad_output)
        grad_probs = torch.matmul(grad_output, value.transpose(2, 3))
        grad_scores = cls.softmax_grad(saved.probs, grad_probs) * saved.scaling
        grad_query = torch.matmul(grad_scores, key)
        grad_key = torch.matmul(grad_scores.transpose(2, 3), query)
        return grad_query, grad_key, grad_value


def attention_backward(query, key, value, grad_output, causal=False):
    saved = EagerAttention.recompute(query, key, causal)
    return EagerAttention.backward(saved, query, key, value, grad_output)
