import math
import torch
from torch import Tensor


# FlashAttention-2 loop order: queries outside, keys inside, one division at the end.
# Everything is folded to (B*H, N, d) and written to preallocated buffers, as a kernel would.
@torch.no_grad()
def flash_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False) -> Tensor:
    nB, nH, N, d = query.shape
    Br = Bc = min(block_size, N)
    q, k, v = (t.reshape(nB * nH, N, d) for t in (query, key, value))
    o = torch.empty_like(q)
    log2e = 1.0 / math.log(2.0)
    softmax_scale_log2 = log2e / math.sqrt(d)
    acc_t = torch.float64 if query.dtype == torch.float64 else torch.float32
    Tr, Tc = -(-N // Br), -(-N // Bc)
    for i in range(Tr):
        r0, r1 = i * Br, min((i + 1) * Br, N)
        Qi = q[:, r0:r1].to(acc_t)
        acc = torch.zeros(nB * nH, r1 - r0, d, dtype=acc_t, device=q.device)
        row_sum = torch.zeros(nB * nH, r1 - r0, dtype=acc_t, device=q.device)
        row_max = torch.full_like(row_sum, -math.inf)
        for j in range(Tc):
            c0, c1 = j * Bc, min((j + 1) * Bc, N)
            if causal and c0 > r1 - 1:
                break
            S = torch.bmm(Qi, k[:, c0:c1].to(acc_t).transpose(1, 2))
            S.mul_(softmax_scale_log2)
            if causal and c1 - 1 > r0:
                rr = torch.arange(r0, r1, device=q.device)
                cc = torch.arange(c0, c1, device=q.device)
                S.masked_fill_(torch.lt(rr[:, None], cc), -math.inf)
            prev = row_max
            row_max = torch.maximum(prev, S.amax(dim=2))
            P = torch.exp2(S.sub_(row_max.unsqueeze(2)))
            corr = torch.exp2(prev - row_max)
            row_sum.mul_(corr).add_(P.sum(dim=2))
            acc.mul_(corr.unsqueeze(2)).baddbmm_(P, v[:, c0:c1].to(acc_t))
        o[:, r0:r1] = (acc / row_sum.unsqueeze(2)).to(o.dtype)
    return o.view(nB, nH, N, d)
