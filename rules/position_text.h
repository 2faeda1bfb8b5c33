#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/result.h"
#include "rules/step.h"
#include "rules/text_error.h"

namespace merel {

/// A part of a position text and where it stands in the whole, counted in bytes from 1.
struct TextPart {
  std::string_view text;
  std::size_t column = 1;
};

/// The parts between the separators; adjoining separators have an empty part between them.
[[nodiscard]] std::vector<TextPart> split(TextPart whole, char separator);

/// The fields of a position text, exactly one for each name, separated by one space.
[[nodiscard]] Result<std::vector<TextPart>, TextError> split_fields(std::string_view text,
                                                                    std::span<const std::string_view> names);

/// The parts of a field, exactly `count`; `kind` says what they are, in the plural: `ranks`.
[[nodiscard]] Result<std::vector<TextPart>, TextError> split_field(TextPart whole, char separator, std::size_t count,
                                                                   std::string_view field, std::string_view kind);

/// How an empty site stands in the sites of a rank.
inline constexpr char kEmptySite = '.';

/// The sites of one rank from the lowest file, as colour letters and kEmptySite; exactly `width` of them.
[[nodiscard]] Result<std::string, TextError> read_rank(TextPart rank, std::string_view field, std::size_t width,
                                                       std::string_view colours);

/// Appends the text of a rank given as read_rank returns it.
void append_rank(std::string& out, std::string_view sites);

/// The player whose colour letter is the whole field.
[[nodiscard]] Result<Player, TextError> read_player(TextPart part, std::string_view field, std::string_view colours);

}  // namespace merel
