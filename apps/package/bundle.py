"""Puts installed copies of Edgewise, each built for a level of instructions, into a wheel and an archive.

Usage: bundle.py FOLDER LEVEL=COPY [LEVEL=COPY ...]

FOLDER gets the packages. LEVEL is x86-64, x86-64-v2, x86-64-v3 or x86-64-v4, lowest first, or "native" for one machine;
COPY is the prefix of the installed copy, of several levels with a shared library (BUILD_SHARED_LIBS). A package holds

    bin/edgewise           what starts the program of a level (launcher.cpp)
    LEVEL/edgewise         the command line
    LEVEL/libedgewise.so   what this needs, if it is shared
    LEVEL/_core.*.so       in a wheel, the Python module, the same for all levels
    libs/                  all other libraries that these need, but for those of GCC and glibc
    licences/              ours, of these libraries, and of those compiled into the programs
    datasets/              the catalogue

The libraries have names of their own, so that no other package in the same process gets them for its own.
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What every Linux has, as for any wheel that is called manylinux.
SYSTEM = re.compile(r"(lib(c|m|pthread|dl|rt|resolv|util|gcc_s|stdc\+\+)|ld-linux.*)\.so")
# The packages of what is in the programs themselves, rather than beside them.
COMPILED_IN = ["libcli11-dev", "libeigen3-dev", "libssl-dev", "rapidjson-dev"]
# Run by the Python of the environment that the wheel is installed into; it does not import the package.
COMMAND = """#!python
import importlib.util
import os
import sys

program = os.path.join(importlib.util.find_spec("edgewise").submodule_search_locations[0], "bin", "edgewise")
os.execv(program, [program, *sys.argv[1:]])
"""


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, text=True, stdout=subprocess.PIPE).stdout


def python_package(copy, scratch):
    """The wheel with the Python module over an installed copy, unpacked."""
    package = next(copy.glob("**/edgewise-config.cmake")).parent
    run(sys.executable, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-deps", ROOT / "apps/python",
        "-w", scratch, f"--config-settings=cmake.define.edgewise_DIR={package}")  # fmt: skip
    wheel = next(scratch.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(scratch / "tree")
    return scratch / "tree", wheel.name


def build_launcher(program):
    program.parent.mkdir()
    sources = ["apps/package/launcher.cpp", "lib/edgewise/core/instructions.cpp", "lib/edgewise/core/built_for.cpp"]
    any_processor = ["-march=x86-64", "-mno-sse3"] if os.uname().machine == "x86_64" else []
    run(os.environ.get("CXX", "c++"), "-std=c++20", "-O2", "-s", *any_processor, "-static-libstdc++", "-static-libgcc",
        f"-I{ROOT / 'lib'}", *[ROOT / source for source in sources], "-o", program)  # fmt: skip


def libraries_of(program):
    """The shared libraries that it needs, directly or not, by the names under which they are looked for; without those
    beside it."""
    said = run("env", f"LD_LIBRARY_PATH={program.parent}", "ldd", program)
    found = re.findall(r"^\s*(\S+) => (/\S+)", said, re.MULTILINE)
    return {name: pathlib.Path(path) for name, path in found
            if not SYSTEM.match(name) and pathlib.Path(path).parent != program.parent}  # fmt: skip


def own_name(name, path):
    """libz.so.1 -> libz-0a1b2c3d.so.1"""
    stem, dot, version = name.partition(".so")
    return f"{stem}-{hashlib.sha256(path.read_bytes()).hexdigest()[:8]}{dot}{version}"


def copy_licences(libraries, folder):
    """Our licence, and what Debian says of the copyright of the sources that the libraries come from."""
    folder.mkdir()
    shutil.copy(ROOT / "LICENSE", folder / "edgewise")
    files = [path.resolve() for path in libraries]
    owners = [re.match(r"([^:]+):", run("dpkg", "-S", f"*/{file.parent.name}/{file.name}"))[1] for file in files]
    for owner in [*owners, *COMPILED_IN]:
        source = run("dpkg-query", "-W", "-f", "${source:Package}\n", owner).split()[0]
        shutil.copy(pathlib.Path("/usr/share/doc") / owner / "copyright", folder / source)


def bundle_libraries(programs, folder):
    """Copies the libraries of the programs to the folder, and makes all of them find each other there."""
    folder.mkdir()
    needed = {}
    for program in programs:
        needed |= libraries_of(program)
    names = {name: own_name(name, path) for name, path in needed.items()}
    renames = [word for name, own in names.items() for word in ("--replace-needed", name, own)]
    for name, path in needed.items():
        copy = folder / names[name]
        shutil.copy(path.resolve(), copy)
        copy.chmod(0o755)
        run("strip", "--strip-unneeded", copy)
        run("patchelf", "--set-soname", copy.name, "--set-rpath", "$ORIGIN", *renames, copy)
    for program in programs:
        run("strip", "--strip-unneeded", program)
        run("patchelf", "--set-rpath", "$ORIGIN:$ORIGIN/../libs", *renames, program)
    copy_licences(needed.values(), folder.parent / "licences")


def make_wheel(tree, name, folder):
    """Writes the wheel of an unpacked one, with the command line. auditwheel finds the oldest Linux that all of it runs
    on, and tags the wheel with it. It does not get to copy the libraries: it leaves out libexpat and libz, as any Python
    has them, and the archive has no Python."""
    scripts = tree / f"edgewise-{name.split('-')[1]}.data" / "scripts"
    scripts.mkdir(parents=True)
    (scripts / "edgewise").write_text(COMMAND)
    (scripts / "edgewise").chmod(0o755)
    run("wheel", "pack", "-d", tree.parent, tree)
    run("auditwheel", "repair", "-z", "9", "-w", folder, tree.parent / name)


def make_archive(package, version, folder):
    top = f"edgewise-{version}-linux-{os.uname().machine}"
    with tarfile.open(folder / f"{top}.tar.gz", "w:gz") as archive:
        for path in sorted(package.rglob("*")):
            inside = path.relative_to(package)
            is_python = path.name.startswith("_core") or inside.parts[0].endswith((".py", ".so", ".typed", ".pyi"))
            if path.is_file() and not is_python and inside.parts[0] not in ("torch", "__pycache__"):
                archive.add(path, f"{top}/{inside}")


def main(folder, copies):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        tree, name = python_package(next(iter(copies.values())), pathlib.Path(scratch))
        package = tree / "edgewise"
        modules = list(package.glob("_core*.so"))
        for level, copy in copies.items():
            (package / level).mkdir()
            libraries = list(copy.glob("lib*/libedgewise.so"))
            if len(copies) > 1 and not libraries:
                sys.exit(f"{copy} has no shared library: build it with -DBUILD_SHARED_LIBS=ON")
            for file in (copy / "bin/edgewise", *libraries, *modules):
                shutil.copy(file, package / level / file.name)
        for module in modules:
            module.unlink()
        shutil.copytree(next(iter(copies.values())) / "share/edgewise/datasets", package / "datasets")
        build_launcher(package / "bin/edgewise")
        programs = [file for level in copies for file in (package / level).iterdir()]
        bundle_libraries(programs, package / "libs")
        make_wheel(tree, name, folder)
        make_archive(package, name.split("-")[1], folder)


if __name__ == "__main__":
    installed = dict(argument.split("=") for argument in sys.argv[2:])
    main(pathlib.Path(sys.argv[1]), {level: pathlib.Path(copy).resolve() for level, copy in installed.items()})
