#pragma once
#include <cstdio>
#include <cstdlib>

/// Ends the program so that a fuzzer keeps the input, when something does not hold that must hold for every input.
#define DEMAND(condition)                                                                 \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)
