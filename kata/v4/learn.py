"""The steps of the lesson on v4, each after its `# %%`; the last part makes the picture."""

# %% attention in named steps
import torch
import torch.nn.functional as F

torch.manual_seed(0)
query, key, value = torch.randn(3, 2, 5, 8, dtype=torch.float64)
products = query @ key.transpose(-2, -1)
weights = (products / 8**0.5).softmax(dim=-1)
context = weights @ value
print(products.shape, weights.shape, context.shape)

# %% against a function that is right
expected = F.scaled_dot_product_attention(query, key, value)
print((context - expected).abs().max().item() < 1e-12)

# %% what weak scores hide
forgotten = products.softmax(dim=-1) @ value
print(round((forgotten - expected).std().item(), 2))
small = 0.1 * query
right = F.scaled_dot_product_attention(small, key, value)
slip = (small @ key.mT).softmax(dim=-1) @ value
print(round((slip - right).std().item(), 2))

# %% properties that need no reference
print(torch.allclose(weights.sum(dim=-1), torch.ones(2, 5).double()))
order = torch.tensor([4, 2, 0, 1, 3])
shuffled = F.scaled_dot_product_attention(
    query[:, order], key[:, order], value[:, order]
)
print(torch.allclose(shuffled, context[:, order]))

# %% one key left
mask = torch.zeros(5, 5, dtype=torch.bool)
mask[:, 3] = True
alone = products.masked_fill(~mask, float("-inf")).softmax(dim=-1) @ value
print(torch.equal(alone, value[:, 3:4].expand(-1, 5, -1)))

# %% picture
picture = weights[0]
rows = [f"query {i}" for i in range(5)]
columns = [f"key {i}" for i in range(5)]
