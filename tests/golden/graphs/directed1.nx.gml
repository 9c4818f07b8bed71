graph [
  directed 1
  node [
    id 0
    label "None"
    age 796105
    score 1.E-20
    city "<&#38;>"
    zip "007"
  ]
  node [
    id 1
    label "a b"
    age 214380
    zip "007"
  ]
  node [
    id 2
    label "#tag"
    age 918311
    score 0.1
    city "S&#227;o Paulo"
  ]
  node [
    id 3
    label "node"
    age 209710
    score 1.E-20
    city "Paris"
  ]
  node [
    id 4
    label "it's"
    score -2.5E+30
    city "<&#38;>"
    zip "1e3"
  ]
  node [
    id 5
    label "07"
    age 785804
    city "x\y"
    zip "1e3"
  ]
  node [
    id 6
    label "-1"
    age 825433
    score 1.E-20
    city "it's"
    zip "007"
  ]
  edge [
    source 0
    target 0
    weight 24.9375
    since 2007
    kind "friend"
  ]
  edge [
    source 0
    target 1
    weight 13.6875
    since 2020
    kind "friend"
  ]
  edge [
    source 1
    target 2
    weight 15.4375
    since 2017
    kind "kin &#38; co"
  ]
  edge [
    source 1
    target 4
    weight 18.25
    since 2007
    kind "friend"
  ]
  edge [
    source 2
    target 3
    weight 16.1875
    since 2003
    kind "kin &#38; co"
  ]
  edge [
    source 3
    target 4
    weight 11.4375
    since 2003
    kind "kin &#38; co"
  ]
  edge [
    source 3
    target 2
    weight 0.0625
    since 2007
    kind "&#228;"
  ]
  edge [
    source 4
    target 5
    weight 20.0
    since 2015
    kind "&#228;"
  ]
  edge [
    source 4
    target 2
    weight 10.625
    since 2004
    kind "&#228;"
  ]
  edge [
    source 4
    target 0
    weight 0.9375
    since 2015
    kind "friend"
  ]
  edge [
    source 5
    target 4
    weight 20.375
    since 1995
    kind "&#228;"
  ]
]
