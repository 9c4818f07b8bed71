# XGBoost (Debian: libxgboost-dev), whose own configuration asks for a program that is in another package.
include(${CMAKE_CURRENT_LIST_DIR}/find_plain_library.cmake)
find_plain_library(XGBoost xgboost/c_api.h xgboost)
