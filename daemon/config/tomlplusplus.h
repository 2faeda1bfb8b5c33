#pragma once
// toml++ 3.3 and 3.4, so that no file can end the program. They have two assumptions that a broken file violates: that a table's name
// begins with a letter (`[=`), and that a character beyond ASCII is either white space or far from any (`größe = 3`). What comes behind
// the first deals with such names by itself, and the second is no more than a wrong default. Later versions have both repaired.
#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 0  // only the file that defines TOML_IMPLEMENTATION carries the parser
#define TOML_ASSERT(condition) static_cast<void>(0)

// With NDEBUG, assertions would be taken for granted instead of being left out.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#if __has_include(<toml++/impl/unicode.hpp>)  // 3.4
#include <toml++/impl/forward_declarations.hpp>
#else
#include <toml++/impl/forward_declarations.h>
#endif
#pragma push_macro("TOML_UNREACHABLE")
#undef TOML_UNREACHABLE
#define TOML_UNREACHABLE return false
#if __has_include(<toml++/impl/unicode.hpp>)
#include <toml++/impl/unicode.hpp>
#else
#include <toml++/impl/unicode.h>
#endif
#pragma pop_macro("TOML_UNREACHABLE")
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
