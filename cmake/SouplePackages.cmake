# Node.js, npm, and the packages that a package-lock.json names
find_program(SOUPLE_NODE NAMES node nodejs)
find_program(SOUPLE_NPM npm)

# Fetches what <folder>/package-lock.json names into <folder>/node_modules, unless it is there already. <result> tells
# whether all is there; without the network it is not, and everything else goes on.
function(souple_fetch_packages folder result)
  set(${result} OFF PARENT_SCOPE)
  if(NOT SOUPLE_NODE OR NOT SOUPLE_NPM)
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${folder}/package-lock.json")
  set(stamp "${folder}/node_modules/.package-lock.json") # npm writes it last
  if("${folder}/package-lock.json" IS_NEWER_THAN "${stamp}")
    file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}" "${folder}")
    message(STATUS "Fetching the packages of ${name}")
    execute_process(COMMAND ${SOUPLE_NPM} ci --no-audit --no-fund --loglevel=error --ignore-scripts --fetch-retries=1
                    WORKING_DIRECTORY "${folder}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE words)
    if(failed)
      message(STATUS "npm failed: ${words}")
      return()
    endif()
    file(TOUCH "${stamp}")
  endif()
  set(${result} ON PARENT_SCOPE)
endfunction()
