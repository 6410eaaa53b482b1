"""The steps of the lesson on mha, each after its `# %%`; the last part makes the picture."""

# %% what lies in memory
import torch

x = torch.arange(12).view(1, 3, 4)
print(x[0])

# %% cut the last axis, then swap
cut = x.view(1, 3, 2, 2)
heads = cut.transpose(1, 2)
print(heads.shape)
print(heads[0, 0])

# %% the view that looks right
wrong = x.view(1, 2, 3, 2)
print(wrong.shape)
print(wrong[0, 0])

# %% each head attends by itself
torch.manual_seed(1)
torch.set_printoptions(precision=2)
query, key, value = torch.randn(3, 1, 3, 8).double()
split = [t.view(1, 3, 2, 4).transpose(1, 2) for t in (query, key, value)]
weights = (split[0] @ split[1].mT / 4**0.5).softmax(dim=-1)
print(weights.shape)
print(weights[0])

# %% and back
context = weights @ split[2]
merged = context.transpose(1, 2).reshape(1, 3, 8)
print(merged.shape)
print(torch.equal(merged[0, 1, 4:], context[0, 1, 1]))

# %% picture
picture = torch.cat([weights[0, 0], weights[0, 1]], dim=-1)
rows = ("query 0", "query 1", "query 2")
columns = ("h0 k0", "h0 k1", "h0 k2", "h1 k0", "h1 k1", "h1 k2")
