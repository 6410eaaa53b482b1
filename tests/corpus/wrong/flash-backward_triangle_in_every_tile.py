# wrong: flash-backward causal-tile-offset line 12
import torch


def _head(q, k, v, o, lse, do, step, causal):
    n, d = q.shape
    delta = (do * o).sum(1)
    dq, dk, dv = torch.zeros_like(q), [], []
    for s in range(0, n, step):
        kk, vv = k[s:s + step], v[s:s + step]
        logits = q @ kk.T / d ** .5
        future = torch.ones(n, len(kk), dtype=torch.bool, device=q.device).triu(1)
        if causal:
            logits[future] = float("-inf")
        w = (logits - lse[:, None]).exp()
        dlogits = w * (do @ vv.T - delta[:, None]) / d ** .5
        dq += dlogits @ kk
        dk.append(dlogits.T @ q)
        dv.append(w.T @ do)
    return dq, torch.cat(dk), torch.cat(dv)


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    grads = [
        [_head(query[b, h], key[b, h], value[b, h], output[b, h], lse[b, h], grad_output[b, h], block_size, causal)
         for h in range(query.shape[1])]
        for b in range(query.shape[0])
    ]
    return tuple(
        torch.stack([torch.stack([head[which] for head in sample]) for sample in grads])
        for which in range(3)
    )
