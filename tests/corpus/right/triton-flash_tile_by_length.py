# right: triton-flash
import torch
import triton
import triton.language as tl


@triton.jit
def _fwd(Q, K, V, O, T, sm, qh, qt, qd, kh, kt, kd, vh, vt, vd, oh, ot, od,
         CAUSAL: tl.constexpr, D: tl.constexpr, BT: tl.constexpr):
    r = tl.program_id(0) * BT + tl.arange(0, BT)
    h = tl.program_id(1)
    d = tl.arange(0, D)
    q = tl.load(Q + h * qh + r[:, None] * qt + d[None, :] * qd, mask=r[:, None] < T, other=0.0).to(tl.float32)
    m = tl.full((BT,), float("-inf"), tl.float32)
    z = tl.zeros((BT,), tl.float32)
    acc = tl.zeros((BT, D), tl.float32)
    s = 0
    while s < T:
        c = s + tl.arange(0, BT)
        k = tl.load(K + h * kh + c[:, None] * kt + d[None, :] * kd, mask=c[:, None] < T, other=0.0).to(tl.float32)
        x = sm * tl.dot(q, tl.trans(k), input_precision="ieee")
        x = tl.where(c[None, :] < T, x, float("-inf"))
        if CAUSAL:
            x = tl.where(c[None, :] > r[:, None], float("-inf"), x)
        n = tl.maximum(m, tl.max(x, 1))
        p = tl.exp(x - n[:, None])
        a = tl.exp(m - n)
        v = tl.load(V + h * vh + c[:, None] * vt + d[None, :] * vd, mask=c[:, None] < T, other=0.0).to(tl.float32)
        z = z * a + tl.sum(p, 1)
        acc = acc * a[:, None] + tl.dot(p, v, input_precision="ieee")
        m = n
        s += BT
    tl.store(O + h * oh + r[:, None] * ot + d[None, :] * od, acc / z[:, None], mask=r[:, None] < T)


def triton_attention(query, key, value, causal=False):
    H, T, D = query.shape
    o = torch.empty_like(query)
    # short sequences need no long tile
    BT = max(16, min(64, triton.next_power_of_2(T)))
    _fwd[(triton.cdiv(T, BT), H)](query, key, value, o, T, D ** -0.5, *query.stride(), *key.stride(),
                                  *value.stride(), *o.stride(), CAUSAL=causal, D=D, BT=BT)
    return o
