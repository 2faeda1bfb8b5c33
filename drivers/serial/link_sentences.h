#pragma once
#include <optional>
#include <string>

#include "drivers/link/host_end.h"
#include "drivers/serial/link_wiring.h"
#include "drivers/serial/serial_port.h"

namespace merel {

/// What is wrong with the link to a board, each in one sentence that says what, where and what to do. Pure: what has been found out is an
/// argument.

/// The port cannot be opened. `owner`: who has it, when that is the reason and is known. `user`: who may not, and should be in the
/// group of the device.
[[nodiscard]] std::string port_sentence(const LinkWiring& wiring, PortFailure failure, const std::optional<PortOwner>& owner,
                                        const std::string& user);

/// The port is open and no board has joined in a while. `owner`: another process that has it open too.
[[nodiscard]] std::string no_handshake_sentence(const LinkWiring& wiring, link::HostEnd::Stage stage,
                                                const link::HostEnd::Traffic& traffic,
                                                const std::optional<PortOwner>& owner);

/// The board answers, and is another one than is wanted.
[[nodiscard]] std::string unfit_sentence(const LinkWiring& wiring, link::Unfit::Why why, const link::BoardHello& hello);

/// The port has gone away while it was open. `error`: of errno(3), or 0 for a plain end.
[[nodiscard]] std::string gone_sentence(const LinkWiring& wiring, int error);

/// The board is silent, or takes nothing any more.
[[nodiscard]] std::string lost_sentence(const LinkWiring& wiring);

/// A command has ended otherwise than done.
[[nodiscard]] std::string refusal_sentence(const LinkWiring& wiring, const link::CommandEnded& ended,
                                           const link::BoardHello& hello);

}  // namespace merel
