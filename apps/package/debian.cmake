# The Debian package: `cmake --build BUILD --target edgewise_documents && cpack --config BUILD/CPackConfig.cmake`
# makes one with the library, its headers, the command line, man pages and completion. Build with
# -DEDGEWISE_ARCH=x86-64 what should run on any processor.
include(GNUInstallDirs)
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND)
  add_custom_target(edgewise_documents VERBATIM
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/documents.py $<TARGET_FILE:edgewise_cli>
            ${PROJECT_BINARY_DIR}/documents
    DEPENDS edgewise_cli)
endif()
install(DIRECTORY ${PROJECT_BINARY_DIR}/documents/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
install(DIRECTORY ${PROJECT_BINARY_DIR}/documents/completions/
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)  # where Debian looks

set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # cpack would build the tests
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME edgewise)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "Trains models of networks and molecules, predicts with them and explains them: a program and a C++ library.")
set(CPACK_PACKAGE_CONTACT "The authors of Edgewise")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(recommended libboost-context-dev libboost-graph-dev libeigen3-dev libexpat1-dev libfmt-dev liblbfgs-dev libssl-dev
  zlib1g-dev)
if(RDKit_FOUND)
  list(APPEND recommended librdkit-dev)
endif()
if(XGBoost_FOUND)
  list(APPEND recommended libxgboost-dev)
endif()
if(METIS_FOUND)
  list(APPEND recommended libmetis-dev)
endif()
list(JOIN recommended ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS)  # to link with the library
include(CPack)
