# Minizip of zlib (Debian: libminizip-dev), which reads zip archives.
include(${CMAKE_CURRENT_LIST_DIR}/find_plain_library.cmake)
find_plain_library(Minizip minizip/unzip.h minizip)
