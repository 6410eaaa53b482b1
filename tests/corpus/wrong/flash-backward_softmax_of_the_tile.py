# wrong: flash-backward grad-softmax-per-tile line 19
import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    scale = query.size(-1) ** -0.5
    length = query.size(-2)
    delta = (grad_output * output).sum(-1, keepdim=True)
    grad_query = torch.zeros_like(query)
    grad_key, grad_value = [], []
    for begin in range(0, length, block_size):
        k = key[..., begin:begin + block_size, :]
        v = value[..., begin:begin + block_size, :]
        scores = query @ k.transpose(-2, -1) * scale
        if causal:
            rows = torch.arange(length, device=query.device)[:, None]
            cols = torch.arange(begin, begin + k.size(-2), device=query.device)
            scores = scores.masked_fill(cols > rows, float("-inf"))
        probs = scores.softmax(-1).nan_to_num()
        d_probs = grad_output @ v.transpose(-2, -1)
        d_scores = probs * (d_probs - delta) * scale
        grad_query += d_scores @ k
        grad_key.append(d_scores.transpose(-2, -1) @ query)
        grad_value.append(probs.transpose(-2, -1) @ grad_output)
    return grad_query, torch.cat(grad_key, -2), torch.cat(grad_value, -2)
