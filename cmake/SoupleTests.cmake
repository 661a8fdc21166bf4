# Targets that build the tests with one label and nothing else: souple_thread_tests for the label thread

# Adds an executable to the target of each of its labels
function(souple_label_target executable)
  foreach(label IN LISTS ARGN)
    if(NOT TARGET souple_${label}_tests)
      add_custom_target(souple_${label}_tests)
    endif()
    add_dependencies(souple_${label}_tests ${executable})
  endforeach()
endfunction()
