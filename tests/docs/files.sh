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
  */links.md)
    awk 'BEGIN {
      srand(2)
      print "user,item,rating" >"ratings.csv"; print "user,item" >"unrated.csv"; print "source,target,split" >"u1.csv"
      print "id,age" >"users.csv"; print "id,year" >"films.csv"
      for (u = 1; u <= 30; ++u) print u "," 20 + u >"users.csv"
      for (f = 1; f <= 20; ++f) print f "," 1990 + f >"films.csv"
      for (u = 1; u <= 30; ++u) for (f = 1; f <= 20; ++f) {
        if ((u + f) % 3 == 0) { print u "," f >"unrated.csv"; continue }
        print u "," f "," 1 + (u * f) % 5 >"ratings.csv"
        print u "," f "," ((u + f) % 9 == 1 ? "test" : (u + f) % 9 == 2 ? "validation" : "train") >"u1.csv"
      }
    }'
    cp unrated.csv new-ratings.csv
    printf 'source,target\np1,p2\np1,p9\n' >pairs.csv
    printf 'source,target\np1,p2\np3,p4\np5,p9\n' >hard.csv ;;
  */kinds.md)
    awk 'BEGIN {
      print "person,age,plan,churned" >"people.csv"; print "person,product,amount,paid" >"purchases.csv"
      print "id,type,age,churned,price" >"nodes.csv"; print "from,relation,to" >"ties.csv"
      print "subject,relation,object" >"triples.csv"
      for (i = 1; i <= 60; ++i) {
        print i "," 20 + i % 40 ",plus," (i % 3 ? "yes" : "no") >"people.csv"
        print "p" i ",person," 20 + i % 40 "," (i % 3 ? "yes" : "no") "," >"nodes.csv"
        for (k = 0; k < 4; ++k) {
          print i "," 1 + (i * 7 + k * 3) % 20 "," 5 + i % 9 "," (k % 2 ? "card" : "cash") >"purchases.csv"
          print "p" i ",buys,q" (i * 7 + k * 3) % 20 >"ties.csv"
          print "p" i ",buys,q" (i * 7 + k * 3) % 20 >"triples.csv"
        }
        print "p" i ",knows,p" 1 + (i * 11) % 60 >"ties.csv"
        print "p" i ",knows,p" 1 + (i * 11) % 60 >"triples.csv"
      }
      for (q = 0; q < 20; ++q) print "q" q ",product,,," 5 + q >"nodes.csv"
    }'
    cut -d, -f1-3 people.csv >new-people.csv
    cut -d, -f1-2 purchases.csv >new-purchases.csv
    printf 'person,friend\n1,2\n3,4\n' >new-friends.csv ;;
  */reactions.md)
    awk 'BEGIN {
      split("F Cl Br I", halides, " ")
      print "reaction,ea" >"barriers.csv"; print "reaction,ea" >"unmapped.csv"; print "reaction,ea,split" >"fold0.csv"
      for (i = 1; i <= 4; ++i) for (j = 1; j <= 4; ++j) for (n = 1; n <= 12; ++n) {
        if (i == j) continue
        mapped = plain = ""
        for (k = 1; k <= n; ++k) { mapped = mapped "[CH" (k < n ? 2 : 3) ":" k + 2 "]"; plain = plain "C" }
        reaction = "[" halides[j] "-:1].[" halides[i] ":2]" mapped ">>[" halides[j] ":1]" mapped ".[" halides[i] "-:2]"
        print reaction "," 10 + i - 2 * j + n >"barriers.csv"
        print reaction "," 10 + i - 2 * j + n "," (n % 4 == 0 ? "test" : n % 4 == 3 ? "validation" : "train") >"fold0.csv"
        print "[" halides[j] "-]." halides[i] plain ">>" halides[j] plain ".[" halides[i] "-]," 10 + i >"unmapped.csv"
      }
    }'
    cp fold0.csv fold2.csv
    head -9 barriers.csv >new.csv ;;
  */mixtures.md)
    awk -F, -v OFS=, 'BEGIN { split("O CCO ClCCl CC#N", solvents, " ") }
      NR == 1 { print "dye,solvent,peak" >"solvatochromism.csv"; print "a,b,share_a,share_b,viscosity" >"mixtures.csv"; next }
      NR <= 100 {
        print $1, solvents[1 + NR % 4], 300 + NR % 40 >"solvatochromism.csv"
        print $1, solvents[1 + NR % 4], 0.1 * (1 + NR % 8), 1 - 0.1 * (1 + NR % 8), NR % 7 >"mixtures.csv"
      }' datasets/hydrophilicity/molecules.csv
    cut -d, -f1-2 solvatochromism.csv | head -20 >new.csv ;;
  */atoms.md)
    awk 'BEGIN {
      print "smiles,shift" >"shifts.csv"; print "smiles,order" >"bonds.csv"
      for (n = 2; n <= 60; ++n) {
        chain = "C"; shifts = "1." n; orders = ""
        for (k = 2; k <= 2 + n % 9; ++k) {
          chain = chain (k % 3 ? "C" : "O"); shifts = shifts " " k % 5 "." n
          orders = orders (k > 2 ? " " : "") (k % 2 ? "odd" : "even")
        }
        print chain "," shifts >"shifts.csv"; print chain "," orders >"bonds.csv"
      }
    }'
    cut -d, -f1 shifts.csv | head -20 >new.csv
    awk -F, 'NR == 1 {print "name,smiles" >"molecules.csv"; print "molecule,atom,shift" >"peaks.csv"; next} {
      print "m" NR "," $1 >"molecules.csv"
      count = split($2, values, " ")
      for (i = 1; i <= count; ++i) print "m" NR "," i - 1 "," values[i] >"peaks.csv"
    }' shifts.csv ;;
  *) head -20 many.csv >new.csv ;;
esac

# Configurations are the first JSON block of the page.
awk '/^```/ {is_json = $0 == "```json" && !count++; next} is_json' "$page" | tee my.json >bonds.json
