graph [
  directed 1
  node [
    id 0
    label "back\slash"
    age 645757
    score 0.1
    city "Paris"
    zip "1e3"
  ]
  node [
    id 1
    label "%%"
    age 151703
    score -2.5E+30
    city "x\y"
    zip "007"
  ]
  node [
    id 2
    label "&#38;#65;"
    age 560034
    score 0.5
    city "S&#227;o Paulo"
  ]
  node [
    id 3
    label "ends\"
    age 1009051
    score -2.5E+30
    city "a;b,c"
    zip "1e3"
  ]
  node [
    id 4
    label "[1-3]"
    age 607519
    score 3.0
    zip "1e3"
  ]
  node [
    id 5
    label "tab&#9;name"
    age 689561
    city "Paris"
    zip "007"
  ]
  node [
    id 6
    label "]]>"
    zip "007"
  ]
  node [
    id 7
    label "*Arcs"
    age 43637
    score -2.5E+30
    city "it's"
  ]
  node [
    id 8
    label "say &#34;hi&#34;"
    age 54160
    score 1.E-20
    zip "007"
  ]
  edge [
    source 0
    target 0
    weight 23.0
    since 2001
    kind "&#228;"
  ]
  edge [
    source 0
    target 1
    weight 10.625
    since 2006
    kind "friend"
  ]
  edge [
    source 1
    target 2
    weight 21.3125
    since 1998
    kind "friend"
  ]
  edge [
    source 1
    target 7
    weight 2.9375
    since 2000
    kind "kin &#38; co"
  ]
  edge [
    source 2
    target 3
    weight 10.8125
    since 1994
    kind "kin &#38; co"
  ]
  edge [
    source 3
    target 4
    weight 3.0625
    since 1995
    kind "friend"
  ]
  edge [
    source 3
    target 6
    weight 7.75
    since 2008
    kind "kin &#38; co"
  ]
  edge [
    source 4
    target 5
    weight 6.25
    since 1996
    kind "kin &#38; co"
  ]
  edge [
    source 5
    target 6
    weight 1.0
    since 2002
    kind "kin &#38; co"
  ]
  edge [
    source 5
    target 2
    weight 8.5
    since 1998
    kind "kin &#38; co"
  ]
  edge [
    source 6
    target 7
    weight 8.9375
    since 2019
    kind "&#228;"
  ]
  edge [
    source 6
    target 2
    weight 3.4375
    since 2020
    kind "friend"
  ]
  edge [
    source 6
    target 1
    weight 6.75
    since 1995
    kind "friend"
  ]
  edge [
    source 6
    target 3
    weight 5.0625
    since 2006
    kind "&#228;"
  ]
  edge [
    source 7
    target 0
    weight 9.8125
    since 2016
    kind "friend"
  ]
]
