import torch

@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    B, nh, T, hs = query.shape
    S = key.size(2)
    c = hs ** -0.5
    att = (query @ key.transpose(-2, -1)).mul_(c)
    if causal:
        bias = torch.tril(torch.ones(T, S, device=query.device), diagonal=S - T)
        att = att.masked_fill(bias == 0, float('-inf'))
    att = att.softmax(-1)                                  # (B, nh, T, S)
    y = att @ value                                        # (B, nh, T, vs)

    datt = grad_output @ value.transpose(-2, -1)           # (B, nh, T, S)
    datt = datt.sub_((grad_output * y).sum(-1, keepdim=True))
    ds = att.mul_(datt)                                    # (B, nh, T, S)
    dq = (ds @ key) * c
    dk = (ds.transpose(-2, -1) @ query) * c
    dv = att.transpose(-2, -1) @ grad_output
    return dq, dk, dv
