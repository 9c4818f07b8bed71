# RDKit's C++ library (Debian: librdkit-dev), which has no package configuration of its own.
#
#   find_package(RDKit COMPONENTS SmilesParse GraphMol ...)
#
# creates a target RDKit::<component> for each requested component. Their headers are system headers, which silences
# their warnings. Set RDKit_ROOT or CMAKE_PREFIX_PATH to search in other places.
find_path(RDKit_INCLUDE_DIR GraphMol/ROMol.h PATH_SUFFIXES rdkit)
mark_as_advanced(RDKit_INCLUDE_DIR)

foreach(component IN LISTS RDKit_FIND_COMPONENTS)
  find_library(RDKit_${component}_LIBRARY RDKit${component})
  mark_as_advanced(RDKit_${component}_LIBRARY)
  if(RDKit_${component}_LIBRARY)
    set(RDKit_${component}_FOUND TRUE)
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(RDKit REQUIRED_VARS RDKit_INCLUDE_DIR HANDLE_COMPONENTS)

if(RDKit_FOUND)
  foreach(component IN LISTS RDKit_FIND_COMPONENTS)
    if(RDKit_${component}_FOUND AND NOT TARGET RDKit::${component})
      add_library(RDKit::${component} UNKNOWN IMPORTED)
      set_target_properties(RDKit::${component} PROPERTIES
        IMPORTED_LOCATION ${RDKit_${component}_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${RDKit_INCLUDE_DIR})
    endif()
  endforeach()
endif()
