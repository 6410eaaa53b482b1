"""The steps of the lesson on v2, each after its `# %%`; the last part makes the picture."""

# %% three products
import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
w_query = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
w_key = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
w_value = torch.tensor([[1.0, 1.0], [1.0, -1.0]])
print(x @ w_query.T, x @ w_key.T, x @ w_value.T, sep="\n")

# %% one product
fused = torch.cat([w_query, w_key, w_value], dim=0)
print(fused.shape)
print(x @ fused.T)

# %% cut again
query, key, value = (x @ fused.T).chunk(3, dim=-1)
print(torch.equal(value, x @ w_value.T))
print(query.stride(), query.is_contiguous())

# %% the same attention
weights = (query @ key.T / 2**0.5).softmax(dim=-1)
print(weights @ value)

# %% picture
picture = fused
rows = ("q 0", "q 1", "k 0", "k 1", "v 0", "v 1")
columns = ("x 0", "x 1")
