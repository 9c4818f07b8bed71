Creator "igraph version 1.0.0 "
Version 1
graph
[
  directed 0
  node
  [
    id 0
    name "07"
    age 458102
    city "Oslo"
    zip "01"
  ]
  node
  [
    id 1
    name "zoë"
    age 650421
    city "Oslo"
    zip "01"
  ]
  node
  [
    id 2
    name "#tag"
    age 546286
    city "Paris"
    zip "007"
  ]
  node
  [
    id 3
    name "日本"
    age 3
    city "São Paulo"
    zip "01"
  ]
  node
  [
    id 4
    name "it's"
    age 1026103
    city "Oslo"
    zip "12"
  ]
  node
  [
    id 5
    name "x&amp;y<z>"
    age 933204
    city "<&amp;>"
    zip "12"
  ]
  node
  [
    id 6
    name "node"
    age 3
    city "Paris"
    zip "007"
  ]
  node
  [
    id 7
    name "-1"
    age 451304
    city "it's"
    zip "12"
  ]
  node
  [
    id 8
    name "1e5"
    age 1020142
    city "São Paulo"
    zip "007"
  ]
  edge
  [
    source 0
    target 0
    weight 0.75
    since 2007
    kind "kin &amp; co"
  ]
  edge
  [
    source 1
    target 0
    weight 19.875
    since 1993
    kind "kin &amp; co"
  ]
  edge
  [
    source 3
    target 0
    weight 2.25
    since 1997
    kind "friend"
  ]
  edge
  [
    source 5
    target 0
    weight 20.75
    since 1999
    kind "kin &amp; co"
  ]
  edge
  [
    source 2
    target 1
    weight 14
    since 1995
    kind "friend"
  ]
  edge
  [
    source 5
    target 1
    weight 16.125
    since 2004
    kind "friend"
  ]
  edge
  [
    source 3
    target 1
    weight 19.125
    since 1993
    kind "ä"
  ]
  edge
  [
    source 3
    target 2
    weight 12.5625
    since 1996
    kind "kin &amp; co"
  ]
  edge
  [
    source 6
    target 2
    weight 11.5
    since 2018
    kind "ä"
  ]
  edge
  [
    source 5
    target 2
    weight 15.0625
    since 2016
    kind "ä"
  ]
  edge
  [
    source 4
    target 3
    weight 5.4375
    since 2012
    kind "ä"
  ]
  edge
  [
    source 5
    target 3
    weight 6.5625
    since 2020
    kind "friend"
  ]
  edge
  [
    source 5
    target 4
    weight 21.6875
    since 1995
    kind "friend"
  ]
  edge
  [
    source 6
    target 5
    weight 11
    since 2006
    kind "kin &amp; co"
  ]
  edge
  [
    source 7
    target 6
    weight 3.8125
    since 2009
    kind "kin &amp; co"
  ]
]
