import torch
import torch.nn.functional as F


def scaled_dot_product_attention(
    q, k, v, attn_mask=None, is_causal=False, dropout_p=0.0, scale=None
):
    b, h, t, d = q.shape
    s = k.shape[-2]
    scale = d**-0.5 if scale is None else scale
    qf, kf, vf = (x.reshape(b * h, x.shape[2], x.shape[3]) for x in (q, k, v))
    w = torch.bmm(qf, kf.transpose(1, 2)).mul(scale).view(b, h, t, s)
    if attn_mask is not None:
        w = w.masked_fill(attn_mask.expand(b, h, t, s) == 0, float("-inf"))
    if is_causal:
        keep = torch.ones(t, s, device=q.device).tril(s - t).bool()
        w = w.masked_fill(~keep, float("-inf"))
    w = F.dropout(F.softmax(w, dim=-1), dropout_p)
    return torch.bmm(w.view(b * h, t, s), vf).view(b, h, t, -1)
