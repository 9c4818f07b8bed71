# libLBFGS (Debian: liblbfgs-dev), which brings no configuration of its own: makes the target LBFGS::LBFGS.
find_path(LBFGS_INCLUDE_DIR lbfgs.h)
find_library(LBFGS_LIBRARY lbfgs)
mark_as_advanced(LBFGS_INCLUDE_DIR LBFGS_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LBFGS REQUIRED_VARS LBFGS_LIBRARY LBFGS_INCLUDE_DIR)

if(LBFGS_FOUND AND NOT TARGET LBFGS::LBFGS)
  add_library(LBFGS::LBFGS UNKNOWN IMPORTED)
  set_target_properties(LBFGS::LBFGS PROPERTIES
    IMPORTED_LOCATION ${LBFGS_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${LBFGS_INCLUDE_DIR})
endif()
