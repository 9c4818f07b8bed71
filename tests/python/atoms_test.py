"""Values of atoms and bonds from Python."""

import numpy as np
import pandas as pd
import pytest

import edgewise


def chains():
    """Alcohols and amines; a carbon's value is its distance to the head."""
    rows = [(head + "C" * n, [10.0 if head == "O" else 20.0, *range(1, n + 1)], n) for n in range(1, 10) for head in "ON"]
    return pd.DataFrame(rows, columns=["smiles", "shift", "size"], index=[f"m{i}" for i in range(len(rows))])


def train(**arguments):
    return edgewise.train(molecules=chains(), model="gatv2", task="regression", epochs=30, **arguments)


def test_lists_come_in_and_out():
    model = train(atom_target="shift")
    new = pd.DataFrame({"smiles": ["OCCC", "C1C", "NC"]}, index=["a", "b", "c"])
    predictions = model.predict(molecules=new, intervals=0.5)
    table = predictions.to_pandas()
    assert list(table.index) == ["a", "b", "c"]
    assert len(table["shift"]["a"]) == 4 and table["shift"]["b"] is None
    assert predictions.names == ["1:0", "1:1", "1:2", "1:3", "3:0", "3:1"]
    assert np.allclose(table["shift"]["a"], predictions.values[:4, 0], rtol=1e-4)
    assert all(low < high for low, high in zip(table["lower_shift"]["c"], table["upper_shift"]["c"]))
    assert predictions.problems == {2: "unclosed ring"}


def test_bonds_are_named_by_their_atoms():
    table = chains()
    table["sum"] = [np.arange(n) for n in table["size"]]
    model = edgewise.train(molecules=table, bond_target="sum", task="regression", model="sage", epochs=2)
    predictions = model.predict()
    assert predictions.lists["bonds"][2] == [[0, 1], [1, 2]]
    assert [len(values) for values in predictions.lists["sum"]] == list(table["size"])


def test_atoms_may_have_a_table_of_their_own():
    table = chains()
    table["mol_id"] = table.index
    rows = [(name, atom, value) for name, values in table["shift"].items() for atom, value in enumerate(values)]
    atoms = pd.DataFrame(rows, columns=["mol_id", "atom_index", "shift"])
    options = dict(atom_target="shift", model="gatv2", task="regression", epochs=3)
    model = edgewise.train(molecules=table.drop(columns="shift"), atom_table=atoms, **options)
    lists = edgewise.train(molecules=table, **options)
    new = {"smiles": ["OCCC", "NC"]}
    assert model.predict(molecules=new).lists["shift"] == lists.predict(molecules=new).lists["shift"]
    with pytest.raises(edgewise.DataError, match="atom_table.*expected a molecule of .*molecules"):
        edgewise.train(molecules=table, atom_table=atoms.assign(mol_id="x"), **options)


def test_a_list_of_another_length_is_an_error():
    table = chains()
    table.at["m3", "shift"] = [1.0]
    with pytest.raises(edgewise.DataError, match="expected 3 values, one for each atom of NCC"):
        edgewise.train(molecules=table, atom_target="shift", model="mlp", epochs=1)
