import torch


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    # Row by row. For each query: p, then dp, then ds; gradients of keys and values add up.
    B, H, Tq, D = query.shape
    Tk = key.shape[2]
    root = D ** 0.5
    grad_query = torch.zeros_like(query)
    grad_key = torch.zeros_like(key)
    grad_value = torch.zeros_like(value)
    for i in range(Tq):
        n = Tk - Tq + i + 1 if causal else Tk          # how many keys this query sees
        q = query[:, :, i]                             # (B, H, D)
        k = key[:, :, :n]
        v = value[:, :, :n]
        do = grad_output[:, :, i]                      # (B, H, E)
        s = (k * q.unsqueeze(2)).sum(-1) / root        # (B, H, n)
        p = torch.softmax(s, dim=-1)
        dp = (v * do.unsqueeze(2)).sum(-1)
        ds = p * dp - p * (p * dp).sum(-1, keepdim=True)
        grad_query[:, :, i] = (ds.unsqueeze(-1) * k).sum(2) / root
        grad_key[:, :, :n] += ds.unsqueeze(-1) * q.unsqueeze(2) / root
        grad_value[:, :, :n] += p.unsqueeze(-1) * do.unsqueeze(2)
    return grad_query, grad_key, grad_value
