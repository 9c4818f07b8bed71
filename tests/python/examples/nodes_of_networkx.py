import networkx
from edgewise import NodeClassifier

graph = networkx.karate_club_graph()
clubs = [of["club"] if node < 20 else None for node, of in graph.nodes(data=True)]  # those of 14 members are to be found
for node in graph:
    del graph.nodes[node]["club"]
classifier = NodeClassifier("gcn", seed=1).fit(graph, y=clubs)
print(classifier.predict()[20:].tolist(), classifier.predict_proba().shape)
print(classifier.explain(33).to_pandas().head(2))
classifier.save("club.safetensors")  # for edgewise.load, and edgewise predict
classifier.report("club.html")
