import math
import torch


def attention(query, key, value, mask=None, causal=False):
    # one flat batch, baddbmm adds the bias for us
    B, H, Tq, d = query.shape
    Tk, dv = value.shape[-2], value.shape[-1]
    bias = torch.zeros(B, H, Tq, Tk, dtype=query.dtype, device=query.device)
    ninf = -math.inf
    if mask is not None:
        bias.masked_fill_(torch.eq(mask, 0), ninf)
    if causal:
        bias += torch.full((Tq, Tk), ninf, dtype=query.dtype, device=query.device).triu_(Tk - Tq + 1)
    scores = torch.baddbmm(
        bias.view(B * H, Tq, Tk),
        query.reshape(B * H, Tq, d),
        key.reshape(B * H, Tk, d).permute(0, 2, 1),
        alpha=1 / math.sqrt(d),
    )
    probs = torch.nn.Softmax(dim=2)(scores)
    return torch.bmm(probs, value.reshape(B * H, Tk, dv)).view(B, H, Tq, dv)
