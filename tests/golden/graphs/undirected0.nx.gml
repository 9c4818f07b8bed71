graph [
  node [
    id 0
    label "07"
    age 458102
    score 3.0
  ]
  node [
    id 1
    label "zo&#235;"
    age 650421
    score 0.5
  ]
  node [
    id 2
    label "#tag"
    age 546286
    city "Paris"
    zip "007"
  ]
  node [
    id 3
    label "&#26085;&#26412;"
    score -2.5E+30
    city "S&#227;o Paulo"
  ]
  node [
    id 4
    label "it's"
    age 1026103
    zip "12"
  ]
  node [
    id 5
    label "x&#38;y<z>"
    age 933204
    score 0.5
    city "<&#38;>"
    zip "12"
  ]
  node [
    id 6
    label "node"
    score 1.E-20
    city "Paris"
    zip "007"
  ]
  node [
    id 7
    label "-1"
    age 451304
    city "it's"
    zip "12"
  ]
  node [
    id 8
    label "1e5"
    age 1020142
    score 3.0
    city "S&#227;o Paulo"
    zip "007"
  ]
  edge [
    source 0
    target 0
    weight 0.75
    since 2007
    kind "kin &#38; co"
  ]
  edge [
    source 0
    target 1
    weight 19.875
    since 1993
    kind "kin &#38; co"
  ]
  edge [
    source 0
    target 3
    weight 2.25
    since 1997
    kind "friend"
  ]
  edge [
    source 0
    target 5
    weight 20.75
    since 1999
    kind "kin &#38; co"
  ]
  edge [
    source 1
    target 2
    weight 14.0
    since 1995
    kind "friend"
  ]
  edge [
    source 1
    target 5
    weight 16.125
    since 2004
    kind "friend"
  ]
  edge [
    source 1
    target 3
    weight 19.125
    since 1993
    kind "&#228;"
  ]
  edge [
    source 2
    target 3
    weight 12.5625
    since 1996
    kind "kin &#38; co"
  ]
  edge [
    source 2
    target 6
    weight 11.5
    since 2018
    kind "&#228;"
  ]
  edge [
    source 2
    target 5
    weight 15.0625
    since 2016
    kind "&#228;"
  ]
  edge [
    source 3
    target 4
    weight 5.4375
    since 2012
    kind "&#228;"
  ]
  edge [
    source 3
    target 5
    weight 6.5625
    since 2020
    kind "friend"
  ]
  edge [
    source 4
    target 5
    weight 21.6875
    since 1995
    kind "friend"
  ]
  edge [
    source 5
    target 6
    weight 11.0
    since 2006
    kind "kin &#38; co"
  ]
  edge [
    source 6
    target 7
    weight 3.8125
    since 2009
    kind "kin &#38; co"
  ]
]
