# edgewise_batches(TARGET NAME a.cpp ...): adds sources to a target; a build with EDGEWISE_UNITY compiles them in
# batches of up to thirty-two. NAME keeps the batches of one call separate from those of others. Sources added with
# target_sources alone are always compiled one by one, and so are those with compile options of their own.
function(edgewise_batches target name)
  if(NOT ARGN)
    return()
  endif()
  target_sources(${target} PRIVATE ${ARGN})
  math(EXPR batches "(${ARGC} - 2 + 31) / 32")
  set(index 0)
  foreach(source IN LISTS ARGN)
    math(EXPR batch "${index} * ${batches} / (${ARGC} - 2)")
    math(EXPR index "${index} + 1")
    set_property(SOURCE ${source} TARGET_DIRECTORY ${target} PROPERTY UNITY_GROUP ${name}_${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${EDGEWISE_UNITY} UNITY_BUILD_MODE GROUP)
endfunction()
