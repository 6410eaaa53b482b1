import torch, math


def causal_tile(length, start, stop, device):
    i = torch.arange(length, device=device)
    j = torch.arange(start, stop, device=device)
    return j.unsqueeze(0) > i.unsqueeze(1)


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    length, head_dim = query.shape[2], query.shape[3]
    root = math.sqrt(head_dim)
    row_dot = torch.sum(grad_output * output, dim=-1, keepdim=True)
    grads = [torch.zeros_like(t) for t in (query, key, value)]
    n_blocks = math.ceil(length / block_size)
    for n in range(n_blocks):
        lo, hi = n * block_size, min((n + 1) * block_size, length)
        k, v = key[..., lo:hi, :], value[..., lo:hi, :]
        scores = torch.matmul(query, k.mT) / root
        if causal:
            scores = scores.masked_fill(causal_tile(length, lo, hi, scores.device), float("-inf"))
        probs = torch.softmax(scores, dim=-1).nan_to_num(0.0)
        grads[2][..., lo:hi, :] = torch.matmul(probs.mT, grad_output)
        dprobs = torch.matmul(grad_output, v.mT)
        dscores = probs * (dprobs - row_dot) / root
        grads[0] += torch.matmul(dscores, k)
        grads[1][..., lo:hi, :] = torch.matmul(dscores.mT, query)
    return tuple(grads)
