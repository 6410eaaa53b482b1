# right: triton-flash
import torch
import triton
import triton.language as tl


@triton.jit
def one_tile(q, acc, l, m, K, V, 起, 行, 长, scale, skn, skd, svn, svd,
       对角: tl.constexpr, D: tl.constexpr, BN: tl.constexpr):
    列 = 起 + tl.arange(0, BN)
    d = tl.arange(0, D)
    k = tl.load(K + 列[None, :] * skn + d[:, None] * skd, mask=列[None, :] < 长, other=0.0)
    s = tl.dot(q, k, input_precision="ieee") * scale
    看得到 = 列[None, :] < 长
    if 对角:
        # 只有对角线上的块才要逐个比较位置
        看得到 = 看得到 & (列[None, :] <= 行[:, None])
    s = tl.where(看得到, s, float("-inf"))
    新 = tl.maximum(m, tl.max(s, axis=1))
    p = tl.exp(s - 新[:, None])
    缩 = tl.exp(m - 新)
    v = tl.load(V + 列[:, None] * svn + d[None, :] * svd, mask=列[:, None] < 长, other=0.0)
    acc = acc * 缩[:, None] + tl.dot(p.to(v.dtype), v, input_precision="ieee")
    return acc, l * 缩 + tl.sum(p, axis=1), 新


@triton.jit
def forward(Q, K, V, O, 长, scale, sqh, sqm, sqd, skh, skn, skd, svh, svn, svd, soh, som, sod,
       CAUSAL: tl.constexpr, D: tl.constexpr, B: tl.constexpr):
    块 = tl.program_id(0)
    头 = tl.program_id(1)
    行 = 块 * B + tl.arange(0, B)
    d = tl.arange(0, D)
    q = tl.load(Q + 头 * sqh + 行[:, None] * sqm + d[None, :] * sqd, mask=行[:, None] < 长, other=0.0)
    m = tl.full((B,), float("-inf"), dtype=tl.float32)
    l = tl.zeros((B,), dtype=tl.float32)
    acc = tl.zeros((B, D), dtype=tl.float32)
    完整 = 块 * B if CAUSAL else 长
    for 起 in range(0, 完整, B):
        acc, l, m = one_tile(q, acc, l, m, K + 头 * skh, V + 头 * svh, 起, 行, 长, scale,
                       skn, skd, svn, svd, False, D, B)
    if CAUSAL:
        acc, l, m = one_tile(q, acc, l, m, K + 头 * skh, V + 头 * svh, 块 * B, 行, 长, scale,
                       skn, skd, svn, svd, True, D, B)
    tl.store(O + 头 * soh + 行[:, None] * som + d[None, :] * sod, acc / l[:, None], mask=行[:, None] < 长)


def triton_flash_attention(query, key, value, causal=False):
    头数, 长, 宽 = query.shape
    out = torch.empty_like(query)
    forward[(triton.cdiv(长, 32), 头数)](
        query, key, value, out, 长, 宽 ** -0.5,
        *query.stride(), *key.stride(), *value.stride(), *out.stride(),
        CAUSAL=causal, D=宽, B=32)
    return out
