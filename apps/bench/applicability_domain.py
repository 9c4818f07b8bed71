"""How many molecules `edgewise predict` calls unlike those of training, over sets of the catalogue.

For each set and split, trains one model per seed, and prints the mean share of molecules with a reason in the column
"unlike": of the test part, and of ions, metals and their compounds, polymers of 60 units, and mixtures.

    python apps/bench/applicability_domain.py --edgewise build/edgewise --sets esol,bbbp \\
        --splits random,scaffold --seeds 3
"""

import csv
import statistics

from coverage import measure_all, read_arguments, run

UNITS = 60
STRANGERS = {
    "ions": "[Na+] [K+] [Li+] [Cs+] [Mg+2] [Ca+2] [Ba+2] [Zn+2] [Cu+2] [Fe+3] [Al+3] [Ag+] [F-] [Cl-] [Br-] [I-] [OH-] "
            "[NH4+] [O-]S(=O)(=O)[O-] [O-][N+](=O)[O-] [O-]P(=O)([O-])[O-] [O-]C(=O)[O-] [O-]Cl(=O)(=O)=O "
            "F[P-](F)(F)(F)(F)F F[B-](F)(F)F".split(),
    "metals": "[Fe] [Au] [Hg] [U] [Ti] [Pd] [W] [Li] [Na] C[Hg]C CC[Pb](CC)(CC)CC CCCC[Sn](CCCC)(CCCC)Cl C[Zn]C "
              "[O]=[Os](=[O])(=[O])=[O] Cl[Pt](Cl)(N)N C[Al](C)C [Li]CCCC C[Mg]Br Cl[Ti](Cl)(Cl)Cl F[U](F)(F)(F)(F)F "
              "[Ni](C#O)(C#O)(C#O)C#O C[Tl](C)C C[Cd]C O=[Ru](=O)(=O)=O [Cr](=O)(=O)(Cl)Cl".split(),
    "polymers": [unit * UNITS for unit in (
        "CC", "CCO", "CC(C)", "CC(Cl)", "CC(O)", "CC(C#N)", "C(F)(F)C(F)(F)", "CC(c1ccccc1)", "CC(C)(C(=O)OC)",
        "OC(C)C(=O)", "NCC(=O)", "NC(C)C(=O)", "NCCCCCC(=O)", "O[Si](C)(C)", "CC(OC(C)=O)", "C=CC=C", "c1ccc(cc1)",
        "OCCOC(=O)c1ccc(cc1)C(=O)", "CC(N1CCCC1=O)", "CC(C(=O)O)")],
    "mixtures": ["CCO.CCCCCC.c1ccccc1.CC(=O)O", "O.O.O.O.O.O", "CCN.Cl.Cl.Cl.O.O", "C.CC.CCC.CCCC", "CO.CCO.CCCO.CCCCO",
                 "[Na+].[Cl-].[K+].[Br-]", "c1ccccc1.Cc1ccccc1.CCc1ccccc1.Clc1ccccc1", "CC(=O)O.CCO.CC(=O)OCC.O",
                 "N#CC.CO.O.OC=O", "ClCCl.ClC(Cl)Cl.ClC(Cl)(Cl)Cl.CCl"],
}


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def share(rows):
    readable = [row for row in rows if not row["problem"]]
    return sum(bool(row["unlike"]) for row in readable) / len(readable) if readable else float("nan")


def write_strangers(path):
    with open(path, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["smiles", "kind"])
        table.writerows([smiles, kind] for kind, group in STRANGERS.items() for smiles in group)


def measure(edgewise, name, split, seed, flags, folder):
    model, out, strangers = folder / "model.safetensors", folder / "out.csv", folder / "strangers.csv"
    run([edgewise, "train", name, "--split", split, "--seed", str(seed), "--out", model, "--quiet", *flags])
    run([edgewise, "predict", model, "--out", out, "--quiet"])
    shares = {"test": share([row for row in rows_of(out) if row["split"] == "test"])}
    write_strangers(strangers)
    run([edgewise, "predict", model, "--molecules", strangers, "--smiles", "smiles", "--keep", "kind", "--out", out,
         "--quiet"])
    for kind in STRANGERS:
        shares[kind] = share([row for row in rows_of(out) if row["kind"] == kind])
    return shares


def main():
    arguments = read_arguments(__doc__, ", of molecules", seeds=3, flags=["--model", "descriptors"])
    print(f"| set | split | test part | {' | '.join(STRANGERS)} |")
    print("|---|---|---|" + "---|" * len(STRANGERS))
    for name, split, runs in measure_all(arguments, measure):
        cells = [f"{100 * statistics.mean(run[kind] for run in runs):.1f} %" for kind in ("test", *STRANGERS)]
        print(f"| {name} | {split} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
