# METIS (Debian: libmetis-dev), which has no package configuration of its own.
include(${CMAKE_CURRENT_LIST_DIR}/find_plain_library.cmake)
find_plain_library(METIS metis.h metis)
