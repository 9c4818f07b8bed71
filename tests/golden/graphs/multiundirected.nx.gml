graph [
  multigraph 1
  node [
    id 0
    label "-1"
    age 339129
    city "a;b,c"
    zip "12"
  ]
  node [
    id 1
    label "zo&#235;"
    score 0.5
    city "a;b,c"
  ]
  node [
    id 2
    label "&#26085;&#26412;"
    age 788749
    score -2.5E+30
    city "it's"
    zip "007"
  ]
  node [
    id 3
    label "node"
    age 828030
    score 1.E-20
    city "S&#227;o Paulo"
    zip "12"
  ]
  node [
    id 4
    label "#tag"
    age 188301
    score 0.5
    city "x\y"
    zip "12"
  ]
  node [
    id 5
    label "it's"
    age 59884
    score 1.E-20
    city "a;b,c"
    zip "1e3"
  ]
  node [
    id 6
    label "07"
    age 796803
    score 0.5
    city "x\y"
    zip "007"
  ]
  node [
    id 7
    label "a b"
    city "<&#38;>"
    zip "12"
  ]
  edge [
    source 0
    target 0
    key 0
    weight 21.3125
    since 1990
    kind "friend"
  ]
  edge [
    source 0
    target 1
    key 0
    weight 5.8125
    since 2015
    kind "kin &#38; co"
  ]
  edge [
    source 0
    target 5
    key 0
    weight 21.5
    since 1996
    kind "&#228;"
  ]
  edge [
    source 1
    target 2
    key 0
    weight 20.8125
    since 1998
    kind "&#228;"
  ]
  edge [
    source 1
    target 4
    key 0
    weight 10.8125
    since 2013
    kind "&#228;"
  ]
  edge [
    source 1
    target 5
    key 0
    weight 8.4375
    since 1996
    kind "kin &#38; co"
  ]
  edge [
    source 2
    target 3
    key 0
    weight 21.6875
    since 2008
    kind "friend"
  ]
  edge [
    source 2
    target 3
    key 1
    weight 20.375
    since 2019
    kind "kin &#38; co"
  ]
  edge [
    source 2
    target 6
    key 0
    weight 10.9375
    since 1993
    kind "&#228;"
  ]
  edge [
    source 2
    target 4
    key 0
    weight 8.6875
    since 1998
    kind "kin &#38; co"
  ]
  edge [
    source 3
    target 4
    key 0
    weight 9.6875
    since 2007
    kind "kin &#38; co"
  ]
  edge [
    source 4
    target 5
    key 0
    weight 6.3125
    since 2016
    kind "friend"
  ]
  edge [
    source 5
    target 6
    key 0
    weight 6.375
    since 2011
    kind "friend"
  ]
]
