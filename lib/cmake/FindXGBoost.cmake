# XGBoost (Debian: libxgboost-dev), whose own configuration asks for a program that is in another package: makes the
# target XGBoost::XGBoost.
find_path(XGBOOST_INCLUDE_DIR xgboost/c_api.h)
find_library(XGBOOST_LIBRARY xgboost)
mark_as_advanced(XGBOOST_INCLUDE_DIR XGBOOST_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(XGBoost REQUIRED_VARS XGBOOST_LIBRARY XGBOOST_INCLUDE_DIR)

if(XGBoost_FOUND AND NOT TARGET XGBoost::XGBoost)
  add_library(XGBoost::XGBoost UNKNOWN IMPORTED)
  set_target_properties(XGBoost::XGBoost PROPERTIES
    IMPORTED_LOCATION ${XGBOOST_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${XGBOOST_INCLUDE_DIR})
endif()
