import math
import torch


def attention_backward(query, key, value, grad_output, causal=False):
    # scale once, up front, and forget about it afterwards
    q = query / math.sqrt(query.shape[-1])
    scores = torch.matmul(q, key.mT)
    if causal:
        Tq, Tk = scores.shape[2:]
        ahead = torch.arange(Tk, device=q.device)[None, :] > torch.arange(Tq, device=q.device)[:, None] + (Tk - Tq)
        scores.masked_fill_(ahead, -math.inf)
    attn = scores.softmax(-1)
    del scores

    grad_value = torch.matmul(attn.mT, grad_output)
    grad_attn = torch.matmul(grad_output, value.mT)
    grad_attn -= torch.sum(grad_attn * attn, dim=-1, keepdim=True)
    grad_scores = grad_attn.mul_(attn)

    grad_query = torch.matmul(grad_scores, key)
    grad_key = torch.matmul(grad_scores.mT, q)
    return grad_query, grad_key, grad_value
