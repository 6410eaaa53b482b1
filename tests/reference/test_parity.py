"""Every model answer against PyTorch's own attention: values and gradients, in float64."""

import torch
from attn_kata.reference.causal import CausalSelfAttention
from attn_kata.reference.cross import CrossAttention
from attn_kata.reference.mha import MultiHeadAttention
from attn_kata.reference.v1 import SelfAttentionV1
from attn_kata.reference.v2 import SelfAttentionV2
from attn_kata.reference.v3 import SelfAttentionV3
from attn_kata.reference.v4 import SelfAttentionV4
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

SEEDS = st.integers(0, 2**31)
SMALL = st.integers(1, 5)
WIDTHS = st.integers(1, 7)
DROPOUT = st.sampled_from([0.0, 0.1, 0.5])


def sharp(module):
    """Return the module in float64, in eval mode, with weights at which attention is sharp."""
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=1.0)
    return module.double().eval()


def inputs(*shapes):
    """Return standard normal leaves that ask for gradients."""
    return [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes]


def mask_of(shape):
    """Return a random mask, 1 = may attend, with at least one key open to every query."""
    mask = torch.rand(shape) < 0.6
    return mask | nn.functional.one_hot(torch.tensor(0), shape[-1]).bool()


def assert_same(ours, theirs, leaves):
    """Two outputs agree, and so do their gradients by every leaf."""
    torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-9)
    cotangent = torch.randn_like(ours)
    for one, other in zip(
        torch.autograd.grad(ours, leaves, cotangent),
        torch.autograd.grad(theirs, leaves, cotangent),
        strict=True,
    ):
        torch.testing.assert_close(one, other, rtol=1e-8, atol=1e-8)


def projected(module, x):
    """Return what a one-headed module's own layers make of x: queries, keys and values."""
    if hasattr(module, "qkv_proj"):
        return module.qkv_proj(x).chunk(3, dim=-1)
    return module.query_proj(x), module.key_proj(x), module.value_proj(x)


def multihead(ours, heads, hidden_dim):
    """Return nn.MultiheadAttention with our module's weights, and the leaves of both."""
    theirs = nn.MultiheadAttention(hidden_dim, heads, batch_first=True).double().eval()
    projections = (ours.query_proj, ours.key_proj, ours.value_proj)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([layer.weight for layer in projections]))
        theirs.in_proj_bias.copy_(torch.cat([layer.bias for layer in projections]))
        theirs.out_proj.weight.copy_(ours.output_proj.weight)
        theirs.out_proj.bias.copy_(ours.output_proj.bias)
    return theirs


@given(SEEDS, SMALL, SMALL, WIDTHS)
def test_v1(seed, batch, length, hidden_dim):
    """V1 is scaled dot-product attention over its three projections."""
    torch.manual_seed(seed)
    module = sharp(SelfAttentionV1(hidden_dim))
    (x,) = inputs((batch, length, hidden_dim))
    theirs = F.scaled_dot_product_attention(*projected(module, x))
    assert_same(module(x), theirs, [x, *module.parameters()])


@given(SEEDS, SMALL, SMALL, WIDTHS)
def test_v2(seed, batch, length, hidden_dim):
    """V2 is the same from one fused projection, and one projection more."""
    torch.manual_seed(seed)
    module = sharp(SelfAttentionV2(hidden_dim))
    (x,) = inputs((batch, length, hidden_dim))
    theirs = module.output_proj(F.scaled_dot_product_attention(*projected(module, x)))
    assert_same(module(x), theirs, [x, *module.parameters()])


@given(SEEDS, st.sampled_from([SelfAttentionV3, SelfAttentionV4]), SMALL, SMALL, WIDTHS, DROPOUT)
def test_v3_and_v4(seed, kata, batch, length, hidden_dim, dropout):
    """V3 and V4 take a mask where 1 may attend, and drop nothing in eval mode."""
    torch.manual_seed(seed)
    module = sharp(kata(hidden_dim, dropout))
    (x,) = inputs((batch, length, hidden_dim))
    mask = mask_of((batch, length, length))
    context = F.scaled_dot_product_attention(*projected(module, x), attn_mask=mask)
    theirs = module.output_proj(context) if hasattr(module, "output_proj") else context
    assert_same(module(x, mask.to(torch.int64)), theirs, [x, *module.parameters()])


@given(SEEDS, SMALL, SMALL, SMALL, SMALL, st.sampled_from(["BHQK", "B1QK", "B11K"]))
def test_mha(seed, batch, length, heads, head_dim, form):
    """MHA is nn.MultiheadAttention with the same weights, in each form of mask."""
    torch.manual_seed(seed)
    module = sharp(MultiHeadAttention(heads * head_dim, heads))
    theirs = multihead(module, heads, heads * head_dim)
    (x,) = inputs((batch, length, heads * head_dim))
    sizes = {"B": batch, "H": heads, "Q": length, "K": length, "1": 1}
    mask = mask_of([sizes[axis] for axis in form])
    full = mask.expand(batch, heads, length, length).reshape(batch * heads, length, length)
    assert_same(module(x, mask.float()), theirs(x, x, x, attn_mask=~full)[0], [x])


@given(SEEDS, SMALL, SMALL, SMALL, SMALL, st.integers(0, 3))
def test_causal(seed, batch, length, heads, head_dim, spare):
    """Causal is scaled dot-product attention with is_causal, whatever the block size."""
    torch.manual_seed(seed)
    module = sharp(CausalSelfAttention(heads * head_dim, heads, length + spare))
    (x,) = inputs((batch, length, heads * head_dim))
    split = (part.unflatten(-1, (heads, head_dim)).transpose(1, 2) for part in projected(module, x))
    context = F.scaled_dot_product_attention(*split, is_causal=True)
    theirs = module.output_proj(context.transpose(1, 2).flatten(2))
    assert_same(module(x), theirs, [x, *module.parameters()])


@given(SEEDS, SMALL, SMALL, SMALL, SMALL, SMALL)
def test_cross(seed, batch, query_length, key_length, heads, head_dim):
    """Cross is nn.MultiheadAttention over three inputs, the keys' length their own."""
    torch.manual_seed(seed)
    hidden_dim = heads * head_dim
    module = sharp(CrossAttention(hidden_dim, heads))
    theirs = multihead(module, heads, hidden_dim)
    query, key, value = inputs(
        (batch, query_length, hidden_dim),
        (batch, key_length, hidden_dim),
        (batch, key_length, hidden_dim),
    )
    mask = mask_of((batch, query_length, key_length))
    full = (~mask).repeat_interleave(heads, dim=0)
    expected = theirs(query, key, value, attn_mask=full)[0]
    assert_same(module(query, key, value, mask), expected, [query, key, value])
