# Flags that every target of the project shares. Floating point must give the same bits everywhere: contraction is
# off and nothing may be reordered.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")

# Adds <stem>1.c and, unless vector instructions are off, <stem><width>.c for each width: one translation unit per
# processor level; which one runs is decided at run time.
function(souple_lanes stem)
  target_sources(souple PRIVATE ${stem}1.c)
  if(SOUPLE_DISABLE_SIMD)
    return()
  endif()
  set(flags8 "-mavx2")
  set(flags16 "-mavx512f;-mavx512vl;-mavx512dq;-mprefer-vector-width=512")
  foreach(width ${ARGN})
    target_sources(souple PRIVATE ${stem}${width}.c)
    if(DEFINED flags${width} AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      set_property(SOURCE ${stem}${width}.c TARGET_DIRECTORY souple APPEND PROPERTY COMPILE_OPTIONS "${flags${width}}")
    endif()
  endforeach()
endfunction()

add_library(souple_flags INTERFACE)
target_compile_options(souple_flags INTERFACE -Wall -Wextra -pedantic -Wmissing-prototypes -Wstrict-prototypes
                                              -Wshadow -Wno-psabi -ffp-contract=off -fno-math-errno)
target_compile_definitions(souple_flags INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
if(SOUPLE_WERROR)
  target_compile_options(souple_flags INTERFACE -Werror)
endif()
if(SOUPLE_SANITIZE)
  target_compile_options(souple_flags INTERFACE -fsanitize=${SOUPLE_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(souple_flags INTERFACE -fsanitize=${SOUPLE_SANITIZE})
endif()
