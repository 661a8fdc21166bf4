# What `cmake --install` puts where: libraries, public headers, the command, and the two ways to find them, a CMake
# package (souple::souple, souple::scene) and pkg-config files. All of it can be moved: no path is written down.

set_target_properties(souple PROPERTIES VERSION ${PROJECT_VERSION}
                                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(TARGET souple_scene)
  set_target_properties(souple_scene PROPERTIES EXPORT_NAME scene VERSION ${PROJECT_VERSION}
                                                SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                                                INSTALL_RPATH "$ORIGIN")
endif()

option(SOUPLE_INSTALL "Install rules" ${SOUPLE_EXTRAS})
if(NOT SOUPLE_INSTALL)
  return()
endif()

include(CMakePackageConfigHelpers)
set(SOUPLE_CONFIG_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/souple")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/souple" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

install(TARGETS souple EXPORT soupleTargets)
install(EXPORT soupleTargets NAMESPACE souple:: DESTINATION "${SOUPLE_CONFIG_DIR}")

if(TARGET souple_cli)
  file(RELATIVE_PATH libraries "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  set_target_properties(souple_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries}")
  install(TARGETS souple_cli)
elseif(SOUPLE_CLI)
  message(WARNING "There is no target souple_cli: the command will not be installed")
endif()

# Dependencies of a library by their pkg-config names, and what else its linker line needs. A static library passes
# them on; a shared one has them inside. Every library that souple_scene links must have a line here.
set(SOUPLE_SCENE_DEPENDENCIES "")
set(SOUPLE_SCENE_MODULES "")
if(TARGET souple_scene)
  install(TARGETS souple_scene EXPORT soupleSceneTargets)
  install(EXPORT soupleSceneTargets NAMESPACE souple:: DESTINATION "${SOUPLE_CONFIG_DIR}")

  get_target_property(SOUPLE_SCENE_TYPE souple_scene TYPE)
  get_target_property(SOUPLE_SCENE_LINKS souple_scene LINK_LIBRARIES)
  if(SOUPLE_SCENE_TYPE STREQUAL "STATIC_LIBRARY")
    list(REMOVE_DUPLICATES SOUPLE_SCENE_LINKS)
    foreach(item IN LISTS SOUPLE_SCENE_LINKS)
      if(item MATCHES "^(souple|m|Threads::Threads)$" OR item MATCHES "BUILD_INTERFACE|^::@")
        continue() # ::@ is how CMake notes the folder that a link comes from
      elseif(item STREQUAL "PkgConfig::JANSSON")
        list(APPEND SOUPLE_SCENE_DEPENDENCIES "souple_find_module(JANSSON jansson)")
        list(APPEND SOUPLE_SCENE_MODULES jansson)
      elseif(item STREQUAL "PkgConfig::PNG")
        list(APPEND SOUPLE_SCENE_DEPENDENCIES "souple_find_module(PNG libpng)")
        list(APPEND SOUPLE_SCENE_MODULES libpng)
      elseif(item STREQUAL "PkgConfig::ZLIB")
        list(APPEND SOUPLE_SCENE_DEPENDENCIES "souple_find_module(ZLIB zlib)")
        list(APPEND SOUPLE_SCENE_MODULES zlib)
      elseif(item STREQUAL "PNG::PNG")
        list(APPEND SOUPLE_SCENE_DEPENDENCIES "souple_find(PNG)")
        list(APPEND SOUPLE_SCENE_MODULES libpng)
      elseif(item STREQUAL "ZLIB::ZLIB")
        list(APPEND SOUPLE_SCENE_DEPENDENCIES "souple_find(ZLIB)")
        list(APPEND SOUPLE_SCENE_MODULES zlib)
      else()
        message(FATAL_ERROR "souple_scene links ${item}, which cmake/SoupleInstall.cmake does not know how to find "
                            "again after installation; add it there")
      endif()
    endforeach()
  endif()
endif()
list(JOIN SOUPLE_SCENE_DEPENDENCIES "\n  " SOUPLE_SCENE_DEPENDENCIES)
list(JOIN SOUPLE_SCENE_MODULES " " SOUPLE_SCENE_MODULES)

configure_package_config_file(cmake/soupleConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/cmake/soupleConfig.cmake"
                              INSTALL_DESTINATION "${SOUPLE_CONFIG_DIR}")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/cmake/soupleConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/cmake/soupleConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/cmake/soupleConfigVersion.cmake"
        DESTINATION "${SOUPLE_CONFIG_DIR}")

# pkg-config: the prefix is found from where the file lies
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(SOUPLE_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
  set(SOUPLE_PC_LIBDIR "${CMAKE_INSTALL_FULL_LIBDIR}")
  set(SOUPLE_PC_INCLUDEDIR "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
else()
  file(RELATIVE_PATH SOUPLE_PC_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  string(REGEX REPLACE "/$" "" SOUPLE_PC_PREFIX "\${pcfiledir}/${SOUPLE_PC_PREFIX}")
  set(SOUPLE_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(SOUPLE_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
set(SOUPLE_PC_CFLAGS "")
if(SOUPLE_DOUBLE_PRECISION)
  set(SOUPLE_PC_CFLAGS " -DSOUPLE_DOUBLE_PRECISION")
endif()
set(SOUPLE_PC_LIBS "")
get_target_property(SOUPLE_TYPE souple TYPE)
if(SOUPLE_TYPE STREQUAL "STATIC_LIBRARY")
  set(SOUPLE_PC_LIBS " -lm -pthread")
  if(SOUPLE_CHOLMOD)
    string(PREPEND SOUPLE_PC_LIBS " -lcholmod -ldl")
  endif()
endif()
set(SOUPLE_PC_NAMES souple)
if(TARGET souple_scene)
  list(APPEND SOUPLE_PC_NAMES souple-scene)
endif()
foreach(name IN LISTS SOUPLE_PC_NAMES)
  configure_file(cmake/${name}.pc.in "${CMAKE_CURRENT_BINARY_DIR}/cmake/${name}.pc" @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/cmake/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
