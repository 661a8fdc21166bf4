# CHOLMOD of SuiteSparse: CHOLMOD_FOUND, CHOLMOD_VERSION and the target CHOLMOD::CHOLMOD

find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse)
find_library(CHOLMOD_LIBRARY cholmod)
mark_as_advanced(CHOLMOD_INCLUDE_DIR CHOLMOD_LIBRARY)

set(CHOLMOD_VERSION "")
foreach(header cholmod.h cholmod_core.h)
  if(CHOLMOD_INCLUDE_DIR AND EXISTS "${CHOLMOD_INCLUDE_DIR}/${header}")
    foreach(part MAIN SUB SUBSUB)
      file(STRINGS "${CHOLMOD_INCLUDE_DIR}/${header}" line REGEX "^ *# *define +CHOLMOD_${part}_VERSION +[0-9]+")
      if(line MATCHES "([0-9]+) *$")
        list(APPEND CHOLMOD_VERSION ${CMAKE_MATCH_1})
      endif()
    endforeach()
  endif()
endforeach()
list(JOIN CHOLMOD_VERSION "." CHOLMOD_VERSION)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CHOLMOD REQUIRED_VARS CHOLMOD_LIBRARY CHOLMOD_INCLUDE_DIR
                                          VERSION_VAR CHOLMOD_VERSION)
if(CHOLMOD_FOUND AND NOT TARGET CHOLMOD::CHOLMOD)
  add_library(CHOLMOD::CHOLMOD UNKNOWN IMPORTED)
  set_target_properties(CHOLMOD::CHOLMOD PROPERTIES IMPORTED_LOCATION "${CHOLMOD_LIBRARY}"
                                                    INTERFACE_INCLUDE_DIRECTORIES "${CHOLMOD_INCLUDE_DIR}")
endif()
