import math
import torch


@torch.no_grad()
def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    L = query.size(2)
    c = 1.0 / math.sqrt(query.size(3))
    idx = torch.arange(L, device=query.device)

    gq = torch.zeros_like(query)
    gk = torch.zeros_like(key)
    gv = torch.zeros_like(value)
    delta = (grad_output * output).sum(dim=3)

    for ks, vs, js, gk_j, gv_j in zip(
        key.split(block_size, dim=2),
        value.split(block_size, dim=2),
        idx.split(block_size),
        gk.split(block_size, dim=2),
        gv.split(block_size, dim=2),
    ):
        scores = torch.matmul(query, ks.transpose(2, 3)) * c
        probs = torch.exp(scores - lse[..., None])
        gv_j += torch.matmul(probs.transpose(2, 3), grad_output)

        g_probs = torch.matmul(grad_output, vs.transpose(2, 3))
        g_scores = probs * (g_probs - delta[..., None]) * c
        if causal:
            g_scores = g_scores.masked_fill(js[None, :] > idx[:, None], 0.0)

        gq += torch.matmul(g_scores, ks)
        gk_j += torch.matmul(g_scores.transpose(2, 3), query)

    return gq, gk, gv
