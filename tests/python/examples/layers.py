import torch
from edgewise.torch import GATConv  # in place of torch_geometric.nn

torch.manual_seed(0)
x, edge_index, edge_attr = torch.randn(4, 16), torch.tensor([[0, 1, 2, 3], [1, 2, 3, 3]]), torch.randn(4, 2)
layer = GATConv(16, 8, heads=4, edge_dim=2, residual=True)
out, (index, weights) = layer(x, edge_index, edge_attr, return_attention_weights=True)
print(out.shape, index.tolist(), weights.shape)

of_two_kinds = GATConv((16, 5), 8)
print(of_two_kinds((x, torch.randn(2, 5)), torch.tensor([[0, 1, 2, 3], [0, 0, 1, 1]])).shape)
