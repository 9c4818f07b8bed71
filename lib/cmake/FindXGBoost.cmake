# XGBoost (Debian: libxgboost-dev). Its own package configuration requires a program from another package.
include(${CMAKE_CURRENT_LIST_DIR}/find_plain_library.cmake)
find_plain_library(XGBoost xgboost/c_api.h xgboost)
