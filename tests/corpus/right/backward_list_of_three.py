# right: backward
import torch


def _forward(q, k, causal):
    logits = q.matmul(k.permute(0, 1, 3, 2)) / torch.sqrt(torch.tensor(q.shape[-1], dtype=q.dtype))
    if causal:
        nq, nk = q.shape[2], k.shape[2]
        keep = torch.ones((nq, nk), device=q.device).tril(nk - nq).bool()
        logits = torch.where(keep[None, None], logits, torch.full_like(logits, -torch.inf))
    e = torch.exp(logits - logits.max(dim=3, keepdim=True)[0])
    return e / e.sum(3, keepdim=True)


def attention_backward(query, key, value, grad_output, causal=False):
    a = _forward(query, key, causal)
    da = (grad_output.unsqueeze(3) * value.unsqueeze(2)).sum(-1)
    centred = da - (a * da).sum(dim=3, keepdim=True)
    dz = a * centred / query.shape[-1] ** 0.5
    grads = [
        (dz.unsqueeze(-1) * key.unsqueeze(2)).sum(3),
        (dz.unsqueeze(-1) * query.unsqueeze(3)).sum(2),
        (a.unsqueeze(-1) * grad_output.unsqueeze(3)).sum(2),
    ]
    return grads
