# What the tests, examples and benchmarks of this project are compiled with; nothing here reaches a consumer.
include_guard(GLOBAL)

# ccache, wherever it is. Paths below the base directory are hashed relative to it, so clones share one cache. It must
# look at every header that was read ("depend"): of nvcc's two passes it would otherwise preprocess only one, and would
# not see a change inside #ifndef __CUDA_ARCH__.
macro(gpuarray_use_ccache)
  find_program(GPUARRAY_CCACHE ccache)
  mark_as_advanced(GPUARRAY_CCACHE)
  if(GPUARRAY_CCACHE)
    foreach(language CXX CUDA)
      if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
        set(CMAKE_${language}_COMPILER_LAUNCHER
            "${CMAKE_COMMAND}" -E env CCACHE_DEPEND=1 CCACHE_NOHASHDIR=1 "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}"
            "${GPUARRAY_CCACHE}")
      endif()
    endforeach()
  endif()
endmacro()

# The warnings that the project's own code is free of, as errors if GPUARRAY_WARNINGS_AS_ERRORS.
add_library(gpuarray_warnings INTERFACE)
set(warnings -Wall -Wextra -Wconversion -Wshadow)
set(nvcc_warnings -Wreorder)
if(GPUARRAY_WARNINGS_AS_ERRORS)
  list(APPEND warnings -Werror)
  list(APPEND nvcc_warnings -Werror=all-warnings)
endif()
list(JOIN warnings "," warnings_for_nvcc)
target_compile_options(gpuarray_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>"
  "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:${nvcc_warnings};-Xcompiler=${warnings_for_nvcc}>")

# Compiles `sources` of `target` as CUDA and links it with the shared CUDA runtime, as a program with several shared
# objects must.
function(gpuarray_compile_as_cuda target)
  get_target_property(sources ${target} SOURCES)
  set_source_files_properties(${sources} PROPERTIES LANGUAGE CUDA)
  set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
  # RUNPATH rather than RPATH, so that LD_LIBRARY_PATH can name other CUDA libraries.
  target_link_options(${target} PRIVATE LINKER:--enable-new-dtags)
endfunction()
