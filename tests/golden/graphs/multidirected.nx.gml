graph [
  directed 1
  multigraph 1
  node [
    id 0
    label "node"
    age 510083
    score 3.0
    city "Paris"
    zip "12"
  ]
  node [
    id 1
    label "&#26085;&#26412;"
    age 605839
  ]
  node [
    id 2
    label "1e5"
    age 940784
    score -2.5E+30
    city "a;b,c"
    zip "007"
  ]
  node [
    id 3
    label "None"
    score 0.5
    city "<&#38;>"
    zip "1e3"
  ]
  node [
    id 4
    label "-1"
    age 903140
    score 0.5
    zip "1e3"
  ]
  node [
    id 5
    label "a b"
    age 795639
    score 1.E-20
    city "<&#38;>"
    zip "007"
  ]
  node [
    id 6
    label "#tag"
    score 3.0
    city "it's"
    zip "12"
  ]
  node [
    id 7
    label "x&#38;y<z>"
    age 267380
    score 1.E-20
    city "x\y"
    zip "1e3"
  ]
  node [
    id 8
    label "zo&#235;"
    age 588640
    score 0.1
    city "x\y"
    zip "12"
  ]
  edge [
    source 0
    target 0
    key 0
    weight 9.375
    since 1994
    kind "&#228;"
  ]
  edge [
    source 0
    target 1
    key 0
    weight 14.6875
    since 2018
    kind "kin &#38; co"
  ]
  edge [
    source 0
    target 7
    key 0
    weight 12.875
    since 2000
    kind "&#228;"
  ]
  edge [
    source 0
    target 6
    key 0
    weight 0.875
    since 2001
    kind "friend"
  ]
  edge [
    source 1
    target 2
    key 0
    weight 6.0625
    since 2013
    kind "friend"
  ]
  edge [
    source 1
    target 4
    key 0
    weight 23.9375
    since 2015
    kind "kin &#38; co"
  ]
  edge [
    source 1
    target 4
    key 1
    weight 4.4375
    since 2000
    kind "&#228;"
  ]
  edge [
    source 2
    target 3
    key 0
    weight 4.3125
    since 2014
    kind "friend"
  ]
  edge [
    source 3
    target 4
    key 0
    weight 22.8125
    since 2020
    kind "kin &#38; co"
  ]
  edge [
    source 3
    target 6
    key 0
    weight 0.9375
    since 2020
    kind "kin &#38; co"
  ]
  edge [
    source 4
    target 5
    key 0
    weight 7.5
    since 2000
    kind "kin &#38; co"
  ]
  edge [
    source 5
    target 6
    key 0
    weight 21.5625
    since 2017
    kind "friend"
  ]
  edge [
    source 6
    target 7
    key 0
    weight 1.875
    since 2013
    kind "friend"
  ]
  edge [
    source 6
    target 2
    key 0
    weight 15.375
    since 1993
    kind "kin &#38; co"
  ]
  edge [
    source 7
    target 3
    key 0
    weight 1.625
    since 2006
    kind "kin &#38; co"
  ]
]
