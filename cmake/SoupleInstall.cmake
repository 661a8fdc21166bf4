# What `cmake --install` puts where: libraries, public headers, the command, and the two ways to find them, a CMake
# package (souple::souple, souple::scene, souple::view) and pkg-config files. All of it can be moved: no path is written
# down.

set_target_properties(souple PROPERTIES VERSION ${PROJECT_VERSION}
                                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
foreach(part scene view)
  if(TARGET souple_${part})
    set_target_properties(souple_${part} PROPERTIES EXPORT_NAME ${part} VERSION ${PROJECT_VERSION}
                                                    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                                                    INSTALL_RPATH "$ORIGIN")
  endif()
endforeach()

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

# Dependencies of a library by their pkg-config names, and how its CMake package finds them again. A static library
# passes them on; a shared one has them inside. Every library that souple_scene or souple_view links must have a line here.
function(souple_find_dependencies target dependencies modules)
  set(lines "")
  set(names "")
  get_target_property(type ${target} TYPE)
  get_target_property(links ${target} LINK_LIBRARIES)
  if(type STREQUAL "STATIC_LIBRARY")
    list(REMOVE_DUPLICATES links)
    foreach(item IN LISTS links)
      if(item MATCHES "^(souple|souple_scene|m|Threads::Threads)$" OR item MATCHES "BUILD_INTERFACE|^::@")
        continue() # ::@ is how CMake notes the folder that a link comes from
      elseif(item STREQUAL "PkgConfig::JANSSON")
        list(APPEND lines "souple_find_module(JANSSON jansson)")
        list(APPEND names jansson)
      elseif(item STREQUAL "PkgConfig::PNG")
        list(APPEND lines "souple_find_module(PNG libpng)")
        list(APPEND names libpng)
      elseif(item STREQUAL "PkgConfig::ZLIB")
        list(APPEND lines "souple_find_module(ZLIB zlib)")
        list(APPEND names zlib)
      elseif(item STREQUAL "PkgConfig::WEBSOCKETS")
        list(APPEND lines "souple_find_module(WEBSOCKETS libwebsockets)")
        list(APPEND names libwebsockets)
      elseif(item STREQUAL "PNG::PNG")
        list(APPEND lines "souple_find(PNG)")
        list(APPEND names libpng)
      elseif(item STREQUAL "ZLIB::ZLIB")
        list(APPEND lines "souple_find(ZLIB)")
        list(APPEND names zlib)
      else()
        message(FATAL_ERROR "${target} links ${item}, which cmake/SoupleInstall.cmake does not know how to find "
                            "again after installation; add it there")
      endif()
    endforeach()
  endif()
  list(JOIN lines "\n  " lines)
  list(JOIN names " " names)
  set(${dependencies} "${lines}" PARENT_SCOPE)
  set(${modules} "${names}" PARENT_SCOPE)
endfunction()

set(SOUPLE_PC_NAMES souple)
foreach(part Scene View)
  string(TOUPPER ${part} upper)
  string(TOLOWER ${part} lower)
  set(SOUPLE_${upper}_DEPENDENCIES "")
  set(SOUPLE_${upper}_MODULES "")
  if(TARGET souple_${lower})
    install(TARGETS souple_${lower} EXPORT souple${part}Targets)
    install(EXPORT souple${part}Targets NAMESPACE souple:: DESTINATION "${SOUPLE_CONFIG_DIR}")
    souple_find_dependencies(souple_${lower} SOUPLE_${upper}_DEPENDENCIES SOUPLE_${upper}_MODULES)
    list(APPEND SOUPLE_PC_NAMES souple-${lower})
  endif()
endforeach()

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
  if(SOUPLE_ZLIB)
    string(PREPEND SOUPLE_PC_LIBS " -lz")
  endif()
endif()
foreach(name IN LISTS SOUPLE_PC_NAMES)
  configure_file(cmake/${name}.pc.in "${CMAKE_CURRENT_BINARY_DIR}/cmake/${name}.pc" @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/cmake/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
