# wrong: gated-linear decay-to-end-wrong line 30
# fair: decay-to-end-wrong 31
import torch
from torch.nn import functional as F


def decay(gate):
    return F.logsigmoid(gate.to(torch.promote_types(gate.dtype, torch.float32))) / 16


def gated_step(q, k, v, g, state):
    state = decay(g).exp().to(q.dtype)[..., None, None] * state + k.unsqueeze(-1) * v.unsqueeze(-2)
    return torch.einsum("bhd,bhdv->bhv", q, state), state


def gated_linear_attention(q, k, v, g, state, chunk_size):
    g = decay(g)
    chunks = [t.split(chunk_size, dim=2) for t in (q, k, v, g)]
    output = []
    for qc, kc, vc, gc in zip(*chunks):
        size = qc.shape[2]
        acc = gc.cumsum(dim=2)
        future = torch.full((size, size), float("-inf"), device=qc.device, dtype=acc.dtype).triu(1)
        mask = (acc[..., :, None] - acc[..., None, :]).clamp(max=0) + future
        attn = (qc @ kc.transpose(2, 3)) * mask.exp().to(qc.dtype)
        fade = acc.exp().to(qc.dtype).unsqueeze(-1)
        o_intra = attn @ vc
        o_inter = (qc * fade) @ state
        output.append(o_intra + o_inter)
        update = kc.transpose(2, 3) @ vc
        state = fade[:, :, -1:] * state + update
    return torch.cat(output, dim=2), state
