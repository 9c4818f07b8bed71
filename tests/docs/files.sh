#!/usr/bin/env bash
# Makes small files with the names and columns that a page of the guide uses. The working directory, where they go, has
# a copy of datasets/.
# Usage: files.sh PAGE
set -eu
page=$1

# 200 people: each talks much with one other person, and buys if that person's plan is "plus"; everything else is
# chance. Only a model that attends to strong ties can learn this, so `train` keeps one with attention, as `explain`
# needs.
awk 'BEGIN {
  srand(1)
  print "source,target,weight" >"friends.csv"; print "id,age,income,city,plan,buys,split" >"people.csv"
  for (i = 0; i < 200; ++i) has_plus[i] = rand() < 0.5
  for (i = 0; i < 200; ++i) {
    other = i % 2 ? i - 1 : i + 1
    print "p" i ",p" other ",30" >"friends.csv"
    for (k = 0; k < 4; ++k) print "p" int(rand() * 200) ",p" i ",1" >"friends.csv"
    print "p" i "," 20 + int(rand() * 50) "," 1000 * int(rand() * 90) "," (rand() < 0.5 ? "Faro" : "Delft") "," \
      (has_plus[i] ? "plus" : "basic") "," (i % 10 == 9 ? "" : has_plus[other] ? "yes" : "no") "," \
      (i % 10 == 9 ? "none" : i % 10 < 5 ? "train" : i % 10 < 7 ? "validation" : "test") >"people.csv"
  }
}'
printf 'p3\np1\np2\n' >some.csv

# 120 molecules with a name and several columns, some solubilities missing; 400 with their logp; the same without it.
awk -F, -v OFS=, 'NR == 1 {print "name,smiles,solubility,toxic,temperature"; next}
  NR <= 121 {print "m" NR - 1, $1, NR % 9 ? $2 : "", ($3 > 60), 20 + NR % 7}' \
  datasets/hydrophilicity/molecules.csv >tested.csv
awk -F, -v OFS=, 'NR <= 401 {print $1, $2}' datasets/hydrophilicity/molecules.csv >large.csv
cut -d, -f1 large.csv >many.csv

# A ring or a path for each row of tested.csv as tables, and such graphs as a folder.
awk 'BEGIN {
  print "atom,molecule,charge" >"atoms.csv"; print "source,target" >"bonds.csv"
  for (graph = 1; graph <= 120; ++graph) {
    size = 3 + graph % 5
    for (i = 1; i <= size; ++i) {
      print "a" graph "." i ",m" graph "," i % 3 >"atoms.csv"
      if (i > 1) print "a" graph "." i - 1 ",a" graph "." i >"bonds.csv"
    }
    if (graph % 2) print "a" graph ".1,a" graph "." size >"bonds.csv"
  }
}'
mkdir MUTAG
awk 'BEGIN {
  for (graph = 1; graph <= 60; ++graph) {
    size = 3 + graph % 5
    print graph % 2 >"MUTAG/MUTAG_graph_labels.txt"
    for (i = 1; i <= size; ++i) {
      print graph >"MUTAG/MUTAG_graph_indicator.txt"
      print (++node) % 3 >"MUTAG/MUTAG_node_labels.txt"
      other = i > 1 ? node - 1 : graph % 2 ? node + size - 1 : 0
      if (other) print node ", " other "\n" other ", " node >"MUTAG/MUTAG_A.txt"
    }
  }
}'

# Sentences, recordings, texts, images and signals, with labels that can be learnt from them.
awk 'BEGIN {
  print "sentence,position,word,head,tag" >"tokens.csv"
  print "recording,frame,loudness,pitch" >"frames.csv"; print "recording,digit" >"recordings.csv"
  print "text,label" >"reviews.csv"
  for (row = 1; row <= 60; ++row) {
    for (i = 1; i <= 5; ++i) {
      word = (row * i) % 7
      print row "," i ",word" word "," i - 1 "," (word < 3 ? "noun" : "verb") >"tokens.csv"
    }
    for (i = 1; i <= 6; ++i) print "r" row "," i "," (row * i) % 5 "," row % 3 >"frames.csv"
    print "r" row "," row % 3 >"recordings.csv"
    print "what a " (row % 2 ? "good" : "bad") " film " row % 5 "," row % 2 >"reviews.csv"
  }
  for (kind = 0; kind < 2; ++kind) {
    file = kind ? "signals.csv" : "digits.csv"
    for (i = 1; i <= 64; ++i) printf "x%d,", i >file
    print "digit" >file
    for (row = 1; row <= 60; ++row) {
      for (i = 1; i <= 64; ++i) printf "%d,", i % 3 == row % 3 ? 9 : (row * i) % 4 >file
      print row % 3 >file
    }
  }
}'

# A few dates, which are learnt from in a moment; some without and with their answers; sentences in two files, and the word of each recording.
head -200 datasets/dates/dates.tsv >few.tsv && mv few.tsv datasets/dates/dates.tsv
head -20 datasets/dates/dates.tsv >more.tsv
cut -f1 more.tsv >new.txt
awk 'BEGIN {
  split("a the one", article); split("dog cat bird", animal)
  for (row = 0; row < 60; ++row) {
    print article[row % 3 + 1] " " animal[int(row / 3) % 3 + 1] " sleeps" >"a.txt"
    print "sleeps " animal[int(row / 3) % 3 + 1] " " article[row % 3 + 1] >"b.txt"
    print "r" row + 1 "\t" (row % 3 ? "one" : "zero") >"words.tsv"
  }
}'

# What is "new" depends on the page: ties, sentences or molecules.
case $page in
  */command-line/*)
    cp friends.csv new.csv
    cp people.csv others.csv
    cp people.csv new-people.csv ;;
  */any-mask.md) cp tokens.csv new.csv ;;
  *) head -20 many.csv >new.csv ;;
esac

# Configurations are the first JSON block of the page.
awk '/^```/ {is_json = $0 == "```json" && !count++; next} is_json' "$page" | tee my.json >bonds.json
