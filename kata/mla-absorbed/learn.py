"""The steps of the lesson on mla-absorbed, each after its `# %%`; the last makes the picture."""

# %% the same scores
import torch

torch.manual_seed(0)
query, latents = torch.randn(2, 3).double(), torch.randn(5, 4).double()
key_up, value_up = torch.randn(2, 2, 3, 4).double()
keys = torch.einsum("hdc,kc->hkd", key_up, latents)
made = torch.einsum("hd,hkd->hk", query, keys)
absorbed = torch.einsum("hd,hdc->hc", query, key_up)
scores = absorbed @ latents.T
print(keys.shape)
print(absorbed.shape)
print(torch.allclose(made, scores))

# %% one latent, then its value
weights = scores.softmax(-1)
mixed = weights @ latents
behind = torch.einsum("hc,hdc->hd", mixed, value_up)
values = torch.einsum("hdc,kc->hkd", value_up, latents)
print(mixed.shape)
print(torch.allclose(behind, (weights[:, None] @ values).squeeze(1)))

# %% one product for both parts
query_rope = torch.randn(2, 2).double()
key_rope = torch.randn(5, 2).double()
wide = torch.cat([absorbed, query_rope], -1)
entries = torch.cat([latents, key_rope], -1)
print(wide.shape)
print(entries.shape)
both = scores + query_rope @ key_rope.T
print(torch.allclose(wide @ entries.T, both))

# %% products for a cached position and a head
made_once = 512 * (128 + 128)
for queries in (1, 171, 4096):
    print(queries, made_once + queries * (192 + 128), queries * (576 + 512))

# %% picture
picture = [[made_once + n * 320, n * 1088] for n in (1, 64, 128, 256)]
rows = ("1 query", "64", "128", "256")
columns = ("keys made", "absorbed")
