# wrong: backward row-sum-missing line 16
import torch
import torch.nn.functional as F


def attention_backward(query, key, value, grad_output, causal=False):
    dk = query.shape[-1] ** 0.5
    attn = torch.matmul(query, key.transpose(2, 3)) / dk
    if causal:
        L, S = attn.shape[2:]
        attn = attn + torch.full((L, S), float("-inf"), device=attn.device, dtype=attn.dtype).triu(S - L + 1)
    attn = F.softmax(attn, dim=3)
    grad_value = torch.matmul(attn.transpose(2, 3), grad_output)
    grad_attn = torch.matmul(grad_output, value.transpose(2, 3))
    # derivative of exp is exp
    grad_scores = attn * grad_attn
    grad_scores = grad_scores / dk
    grad_query = torch.matmul(grad_scores, key)
    grad_key = torch.matmul(grad_scores.transpose(2, 3), query)
    return grad_query, grad_key, grad_value
