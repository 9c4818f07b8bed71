"""Writes the man pages and the completion for bash, from what `edgewise VERB --help` says.

Usage: documents.py EDGEWISE FOLDER   (the program; gets man1/*.1 and completions/edgewise)
"""

import pathlib
import re
import subprocess
import sys

ITEM = re.compile(r"^  (\S.*?)(?:  +(\S.*))?$")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def help_of(program, words):
    return subprocess.run([program, *words, "--help"], check=True, capture_output=True, text=True).stdout


def subcommands(text):
    """The verbs below a command, in the order of its help."""
    below = text.partition("\nSubcommands:\n")[2]
    return [match[1] for match in map(ITEM.match, below.splitlines()) if match]


def all_verbs(program):
    """Each command as a list of words, with its help."""
    pending, found = [[]], []
    while pending:
        words = pending.pop(0)
        text = help_of(program, words)
        found.append((words, text))
        pending += [[*words, name] for name in subcommands(text)]
    return found


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + text if text.startswith((".", "'")) else text


def man_page(words, text, version):
    name = "-".join(["edgewise", *words])
    title, usage, *rest = text.splitlines()
    lines = [f'.TH {name.upper()} 1 "" "Edgewise {version}" "Edgewise"', ".SH NAME",
             f"{escaped(name)} \\- {escaped(title[0].lower() + title[1:])}", ".SH SYNOPSIS",
             f".B {escaped(usage.removeprefix('Usage: '))}"]  # fmt: skip
    in_examples = False
    for line in rest:
        if line and not line.startswith(" ") and line.endswith(":"):
            in_examples = line == "Examples:"
            lines.append(f".SH {escaped(line[:-1].upper())}")
        elif in_examples and line.startswith("  "):
            lines += [".nf", escaped(line.strip()), ".fi"]
        elif match := ITEM.match(line):
            lines += [".TP", f".B {escaped(match[1])}", escaped(match[2] or "")]
        elif line.strip():
            lines += [".PP", escaped(line.strip())]
    return "\n".join([*lines, ".SH SEE ALSO", "The guide in the folder docs of the sources.", ""])


def completion(verbs):
    """A function for bash that offers verbs, then the flags of the verb, else files."""
    cases = []
    for words, text in verbs:
        offered = [*subcommands(text), *sorted(set(FLAG.findall(text.partition("\nExamples:")[0])))]
        cases.append(f'    "{" ".join(words)}") words="{" ".join(offered)}" ;;')
    names = " ".join(sorted({" ".join(words).replace(" ", "_") for words, _ in verbs if words}))
    return f"""# Completion of edgewise for bash; written by apps/package/documents.py.
_edgewise() {{
  local verb="" words="" word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case " {names} " in
      *" ${{verb:+${{verb// /_}}_}}$word "*) verb="${{verb:+$verb }}$word" ;;
    esac
  done
  case "$verb" in
{chr(10).join(cases)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
  if [ ${{#COMPREPLY[@]}} -eq 0 ]; then COMPREPLY=($(compgen -f -- "${{COMP_WORDS[COMP_CWORD]}}")); fi
}}
complete -o filenames -F _edgewise edgewise
"""


def main(program, folder):
    verbs = all_verbs(program)
    version = re.search(r"[0-9]+\.[0-9]+\.[0-9]+", help_of_version(program))[0]
    for name in ("man1", "completions"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for words, text in verbs:
        (folder / "man1" / ("-".join(["edgewise", *words]) + ".1")).write_text(man_page(words, text, version))
    (folder / "completions/edgewise").write_text(completion(verbs))


def help_of_version(program):
    return subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
