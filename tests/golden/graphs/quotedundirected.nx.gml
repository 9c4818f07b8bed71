graph [
  node [
    id 0
    label "]]>"
    city "a;b,c"
    zip "12"
  ]
  node [
    id 1
    label "[1-3]"
    score 0.1
    zip "007"
  ]
  node [
    id 2
    label "%%"
    age 157960
    score 0.1
    city "it's"
    zip "1e3"
  ]
  node [
    id 3
    label "say &#34;hi&#34;"
    age 686303
    score 0.1
    city "Paris"
    zip "007"
  ]
  node [
    id 4
    label "&#38;#65;"
    age 1011463
    score 1.E-20
    city "it's"
  ]
  node [
    id 5
    label "tab&#9;name"
    age 393605
    score -2.5E+30
    city "<&#38;>"
    zip "1e3"
  ]
  node [
    id 6
    label "back\slash"
    age 670701
    score 0.1
    zip "12"
  ]
  node [
    id 7
    label "ends\"
    age 840809
    score 0.5
    city "Paris"
    zip "12"
  ]
  edge [
    source 0
    target 0
    weight 19.125
    since 2013
    kind "&#228;"
  ]
  edge [
    source 0
    target 1
    weight 15.0
    since 2004
    kind "&#228;"
  ]
  edge [
    source 0
    target 4
    weight 10.4375
    since 2001
    kind "&#228;"
  ]
  edge [
    source 0
    target 5
    weight 7.0625
    since 2017
    kind "kin &#38; co"
  ]
  edge [
    source 1
    target 2
    weight 16.375
    since 2011
    kind "kin &#38; co"
  ]
  edge [
    source 1
    target 6
    weight 0.4375
    since 2007
    kind "&#228;"
  ]
  edge [
    source 1
    target 5
    weight 14.25
    since 2003
    kind "friend"
  ]
  edge [
    source 2
    target 3
    weight 4.8125
    since 2016
    kind "friend"
  ]
  edge [
    source 2
    target 6
    weight 17.75
    since 1994
    kind "&#228;"
  ]
  edge [
    source 3
    target 4
    weight 1.5
    since 1992
    kind "friend"
  ]
  edge [
    source 4
    target 5
    weight 24.625
    since 2015
    kind "&#228;"
  ]
  edge [
    source 4
    target 6
    weight 21.875
    since 2018
    kind "friend"
  ]
  edge [
    source 5
    target 6
    weight 3.375
    since 2012
    kind "&#228;"
  ]
]
