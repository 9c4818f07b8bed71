from edgewise.sklearn import MoleculeRegressor
from sklearn.model_selection import GridSearchCV

smiles = ["C" * length + "O" for length in range(1, 31)]
log_s = [1.1 - 0.6 * length for length in range(1, 31)]
search = GridSearchCV(MoleculeRegressor("gcn", epochs=20, seed=1), {"learning_rate": [0.001, 0.01]}, cv=3)
search.fit(smiles, log_s)
print(search.best_params_, search.predict(["CC(C)CO"]))
