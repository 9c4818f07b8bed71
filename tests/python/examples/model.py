import torch
from edgewise.torch import GAT  # in place of torch_geometric.nn, or of a class of GATConv and dropout

torch.manual_seed(0)
nodes, words, classes = 300, 500, 3
y = torch.arange(nodes) % classes
x = (torch.rand(nodes, words) < 0.02).float()  # most are 0, so the model reads them as SparseFeatures
edge_index = torch.stack([torch.arange(nodes), (torch.arange(nodes) + classes) % nodes])
model = GAT(words, 64, 2, classes, heads=(8, 1), dropout=0.6, input_dropout=0.6, act="elu")
optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
for epoch in range(50):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x, edge_index)[:100], y[:100])
    loss.backward()
    optimizer.step()
print(f"{loss.item():.2f}")
