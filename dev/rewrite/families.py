"""Names as people give them: for one meaning, the names that each style has for it.

A style's own name is taken where it has one, else one of any style. What says which layer makes
queries, keys, values or the output says so in every style: those names bind when a file is judged.
"""

from __future__ import annotations

__all__ = ["ARGUMENTS", "LAYERS", "LOCALS", "SETTINGS", "STYLES", "meaning"]

STYLES = ("short", "long", "library", "pinyin")

Family = dict[str, tuple[str, ...]]


def _family(short: str, long: str, library: str, pinyin: str = "") -> Family:
    words = (short, long, library, pinyin)
    return {style: tuple(text.split()) for style, text in zip(STYLES, words, strict=True)}


# Layers, by `self`: what they make is in the name.
LAYERS = {
    "query": _family("wq q_proj q", "query_proj query_layer", "W_q to_q q_linear c_q"),
    "key": _family("wk k_proj k", "key_proj key_layer", "W_k to_k k_linear c_k"),
    "value": _family("wv v_proj v", "value_proj value_layer", "W_v to_v v_linear c_v"),
    "output": _family("wo o_proj", "output_proj output_layer", "W_o to_out out_proj c_proj"),
    "fused": _family("qkv wqkv", "qkv_proj qkv_layer", "W_qkv to_qkv c_attn in_proj"),
    "dropout": _family("drop", "dropout attention_dropout", "attn_drop attn_dropout"),
}

# Sizes and settings, as attributes and as constructor's arguments.
SETTINGS = {
    "width": _family("dim d", "hidden_dim hidden_size", "d_model embed_dim n_embd"),
    "heads": _family("h nh", "num_heads head_count", "n_heads n_head nhead"),
    "kv_heads": _family("kvh", "num_kv_heads", "n_kv_heads num_key_value_heads"),
    "head_width": _family("dh hd", "head_dim head_size", "d_k d_head"),
    "rate": _family("p", "dropout dropout_rate", "attn_pdrop drop_prob"),
    "longest": _family("max_len", "max_length longest", "context_length max_seq_len"),
    "scale": _family("s", "scale scaling", "sm_scale softmax_scale", "suofang"),
}

ARGUMENTS = {
    "x": _family("x", "inputs hidden", "hidden_states inp"),
    "mask": _family("mask", "attention_mask", "attn_mask"),
}

LOCALS = {
    "batch": _family("b B", "batch batch_size", "bsz n_batch", "pici"),
    "length": _family("t T n", "length seq_len", "seq_length q_len", "changdu"),
    "key_length": _family("s S", "key_length kv_length", "kv_len k_len", "jian_changdu"),
    "width": _family("d D c C", "width hidden", "emb channels", "weidu"),
    "query": _family("q Q xq qh", "query queries query_heads", "query_states q_states", "chaxun"),
    "key": _family("k K xk kh", "key keys key_heads", "key_states k_states", "jian"),
    "value": _family("v V xv vh", "value values value_heads", "value_states v_states", "zhi"),
    "fused": _family("qkv", "projected", "qkv_out mixed_qkv", "sange"),
    "products": _family("dots qk sim", "products raw_scores", "attn_logits sims", "chengji"),
    "scores": _family("s att", "scores logits", "attn_scores attn_logits", "fenshu"),
    "masked": _family("ms sm", "masked_scores masked", "masked_logits attn_bias", "yanma_fenshu"),
    "weights": _family("w a p", "weights probs", "attn_weights attn_probs attn", "quanzhong"),
    "dropped": _family("wd pd", "dropped_weights dropped", "attn_dropped", "diuqi"),
    "context": _family("o z ctx", "context mixed attended", "attn_output attn_out", "shangxiawen"),
    "merged": _family("y m", "merged joined", "concat flat_context", "hebing"),
    "output": _family("out res", "output result", "final_output proj_out", "shuchu jieguo"),
    "blocked": _family("m bm", "blocked hidden_entries", "mask_bool inv_mask", "zhedang"),
    "seen": _family("tri ok", "visible allowed", "causal_mask tril_mask", "xiasanjiao"),
    "lowest": _family("lo neg", "lowest minus_inf", "min_value neg_inf", "zuixiao"),
    "split": _family("sh", "split head_shape", "new_shape hidden_shape", "xingzhuang"),
    "count": _family("i j", "index step", "idx", "xuhao"),
}

# What stands in files beside the families' own names.
_ALSO = {
    "query": "xq query_layer", "key": "xk key_layer new_key", "value": "xv value_layer new_value",
    "products": "dot_products similarity", "weights": "attention_weights attention alpha",
    "context": "by_position heads_out gathered", "mask": "attention_mask masks", "x": "X inputs",
    "batch": "bs N", "length": "L seq query_length", "scores": "energy score scaled_scores",
}  # fmt: skip


def meaning(name: str, families: dict[str, Family]) -> str | None:
    """Return which family a name belongs to; None where it belongs to none, or to several."""
    exact = [key for key, family in families.items() if name == key or name in _words(key, family)]
    return exact[0] if exact else None


def _words(key: str, family: Family) -> set[str]:
    return {*(word for words in family.values() for word in words), *_ALSO.get(key, "").split()}
