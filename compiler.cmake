# How every folder is compiled.
option(CMAKE_COMPILE_WARNING_AS_ERROR "Warnings are errors" ON)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict) # GCC 12 sees overlapping copies in std::string at -O3 where there are none
endif()
include_directories(${PROJECT_SOURCE_DIR})

# Move generation counts bits. Without x86-64-v2 (every x86 processor since 2009) that is a library call and not the one
# instruction popcnt; 64-bit ARM has it in its baseline.
if(MEREL_NATIVE)
  add_compile_options(-march=native)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  add_compile_options(-march=x86-64-v2)
endif()

if(MEREL_SANITIZE OR MEREL_FUZZ)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=address,undefined)
endif()
if(MEREL_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# What one checkout has compiled, another need not.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()
