Creator "igraph version 1.0.0 "
Version 1
graph
[
  directed 1
  node
  [
    id 0
    name "None"
    age 796105
    city "<&amp;>"
    zip "007"
  ]
  node
  [
    id 1
    name "a b"
    age 214380
    city "Oslo"
    zip "007"
  ]
  node
  [
    id 2
    name "#tag"
    age 918311
    city "São Paulo"
    zip "01"
  ]
  node
  [
    id 3
    name "node"
    age 209710
    city "Paris"
    zip "01"
  ]
  node
  [
    id 4
    name "it's"
    age 3
    city "<&amp;>"
    zip "1e3"
  ]
  node
  [
    id 5
    name "07"
    age 785804
    city "x\y"
    zip "1e3"
  ]
  node
  [
    id 6
    name "-1"
    age 825433
    city "it's"
    zip "007"
  ]
  edge
  [
    source 0
    target 0
    weight 24.9375
    since 2007
    kind "friend"
  ]
  edge
  [
    source 0
    target 1
    weight 13.6875
    since 2020
    kind "friend"
  ]
  edge
  [
    source 1
    target 2
    weight 15.4375
    since 2017
    kind "kin &amp; co"
  ]
  edge
  [
    source 1
    target 4
    weight 18.25
    since 2007
    kind "friend"
  ]
  edge
  [
    source 2
    target 3
    weight 16.1875
    since 2003
    kind "kin &amp; co"
  ]
  edge
  [
    source 3
    target 4
    weight 11.4375
    since 2003
    kind "kin &amp; co"
  ]
  edge
  [
    source 3
    target 2
    weight 0.0625
    since 2007
    kind "ä"
  ]
  edge
  [
    source 4
    target 5
    weight 20
    since 2015
    kind "ä"
  ]
  edge
  [
    source 4
    target 2
    weight 10.625
    since 2004
    kind "ä"
  ]
  edge
  [
    source 4
    target 0
    weight 0.9375
    since 2015
    kind "friend"
  ]
  edge
  [
    source 5
    target 4
    weight 20.375
    since 1995
    kind "ä"
  ]
]
