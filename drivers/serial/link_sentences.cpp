#include "drivers/serial/link_sentences.h"

#include <cerrno>
#include <system_error>

namespace merel {
namespace {

using link::Answer;
using link::CommandEnded;
using link::HostEnd;
using link::MessageType;

/// A few bytes are what a plug makes when it goes in.
constexpr std::uint64_t kMostNoise = 8;

constexpr const char* kFlash = "flash it with the firmware of this version of merel (docs/pico.md)";

std::string process_text(const PortOwner& owner) {
  return "'" + owner.name + "' (process " + std::to_string(owner.process) + ")";
}

/// A port of the machine's own, not of a plug.
bool is_uart(const std::string& device) {
  return device.starts_with("/dev/serial0") || device.starts_with("/dev/serial1") || device.starts_with("/dev/ttyAMA") ||
         device.starts_with("/dev/ttyS");
}

/// What ends the program that has the port.
std::string end_it(const std::string& device, const std::optional<PortOwner>& owner) {
  if (!owner) return "`sudo fuser -v " + device + "` names it, end it";
  if (owner->name == "agetty" || owner->name == "login") {
    return "it is the console's login: switch that off with `sudo raspi-config nonint do_serial_cons 1` and restart the "
           "machine";
  }
  if (owner->name == "mereld") return "another mereld serves this board already, end one of the two";
  if (owner->name == "ModemManager") return "it takes the board for a modem: `sudo systemctl disable --now ModemManager`";
  return "end it";
}

std::string version(const link::BoardHello& hello) {
  return std::to_string(hello.firmware[0]) + "." + std::to_string(hello.firmware[1]) + "." +
         std::to_string(hello.firmware[2]);
}

const char* name_of(MessageType command) {
  switch (command) {
    case MessageType::accept: return "to be accepted";
    case MessageType::lights: return "the lights";
    case MessageType::buzzer: return "a beep";
    case MessageType::settings: return "its settings";
    case MessageType::calibration: return "the calibration";
    case MessageType::empty_sites: return "the list of empty sites";
    default: return "a command";
  }
}

}  // namespace

std::string port_sentence(const LinkWiring& wiring, PortFailure failure, const std::optional<PortOwner>& owner,
                          const std::string& user) {
  const std::string& device = wiring.device;
  const std::string what = "The board's port " + device;
  switch (failure.error) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case ENOTDIR:
      if (is_uart(device)) {
        return what +
               " does not exist: switch the serial port on with the line enable_uart=1 (on a Raspberry Pi 5 "
               "dtparam=uart0=on) in "
               "/boot/firmware/config.txt and restart the machine";
      }
      if (device == "/dev/merel-board") {
        return what +
               " does not exist: plug the board in with a USB cable that carries data; when `ls /dev/ttyACM*` shows a "
               "port all the same, the udev rule 60-merel.rules is missing or the board has no firmware of merel";
      }
      return what +
             " does not exist: plug the board in, or name one of `ls /dev/serial/by-id/*` as device in [sensors.link] of "
             "the "
             "board's profile";
    case EACCES:
    case EPERM:
      return what + " may not be opened: put the user into its group with `sudo adduser " + user +
             " dialout` and restart mereld";
    case EBUSY:
    case EWOULDBLOCK:
      return what + " is in use by " + (owner ? process_text(*owner) : "another program") + ": " + end_it(device, owner);
    case ENOTTY:
      return what +
             " is no serial port: name one of `ls /dev/serial/by-id/*` or /dev/serial0 as device in [sensors.link] of the "
             "board's profile";
    case EINVAL:
      return what + " cannot be set to " + std::to_string(wiring.baud) +
             " baud: write baud = 460800 in [sensors.link] of the board's profile, or another rate that the firmware was "
             "made for";
    default:
      return what + " cannot be opened (" + std::generic_category().message(failure.error) +
             "): look for its reason with `sudo dmesg`";
  }
}

std::string no_handshake_sentence(const LinkWiring& wiring, HostEnd::Stage stage, const HostEnd::Traffic& traffic,
                                  const std::optional<PortOwner>& owner) {
  const std::string& device = wiring.device;
  if (owner) {
    return "No board answers at " + device + ", and " + process_text(*owner) +
           " has it open too and takes away what it says: " + end_it(device, owner);
  }
  if (stage == HostEnd::Stage::joining) {
    return "The board at " + device + " answers but does not say what it sees: restart it, and if that does not help " +
           kFlash;
  }
  if (traffic.good > 0) {
    return "The board at " + device + " says something but does not answer a hello: " +
           (is_uart(device)
                ? "look at the wire from GPIO 14 (pin 8) to the board's RX (GP1), restart the board, and if that does "
                  "not help "
                : "restart it, and if that does not help ") +
           kFlash;
  }
  if (traffic.bytes > kMostNoise) {
    return "What comes from " + device + " (" + std::to_string(traffic.bytes) + " bytes) is not the language of a board: " +
           (is_uart(device)
                ? "it talks at another speed than baud = " + std::to_string(wiring.baud) +
                      " in [sensors.link] of the board's profile, or a lead is loose"
                : "it is another device, so name the board's port as device in [sensors.link] of the board's profile, or it "
                  "talks at another speed than baud = " +
                      std::to_string(wiring.baud));
  }
  return "Nothing at all is heard at " + device + ": " +
         (is_uart(device)
              ? "the board has no power or no firmware, or TX and RX are swapped (its GP0 goes to GPIO 15, pin 10, its "
                "GP1 to GPIO 14, pin 8)"
              : "it is another device's port, or the board has no firmware, so look at device in [sensors.link] of the "
                "board's profile and " +
                    std::string(kFlash));
}

std::string unfit_sentence(const LinkWiring& wiring, link::Unfit::Why why, const link::BoardHello& hello) {
  const std::string board = "The board at " + wiring.device;
  if (why == link::Unfit::Why::protocol) {
    const std::string speaks = board + " (firmware " + version(hello) + ") speaks version " +
                               std::to_string(hello.protocol) + " of the link and this mereld version " +
                               std::to_string(link::kProtocol) + ": ";
    return hello.protocol < link::kProtocol ? speaks + "the board is the older one, " + kFlash
                                            : speaks + "mereld is the older one, install the newest package of merel";
  }
  return board + " is revision " + std::to_string(hello.revision) + ", and the profile is for revision " +
         std::to_string(wiring.revision) +
         ": take the profile of that board, or plug in the board of this profile; its lights stay off until they agree";
}

std::string gone_sentence(const LinkWiring& wiring, int error) {
  return "The board at " + wiring.device + " has gone away" +
         (error == 0 ? std::string() : " (" + std::generic_category().message(error) + ")") +
         ": plug it in again, the game goes on by itself; if nobody has pulled the plug, look at the cable";
}

std::string lost_sentence(const LinkWiring& wiring) {
  return "The board at " + wiring.device + " has said nothing for " +
         std::to_string(HostEnd::kSilence / std::chrono::seconds(1)) +
         " s: look at its cable and its power; the game goes on by itself when it is back";
}

std::string refusal_sentence(const LinkWiring& wiring, const CommandEnded& ended, const link::BoardHello& hello) {
  const std::string board = "The board at " + wiring.device;
  const std::string what = name_of(ended.command);
  if (ended.how == CommandEnded::How::not_understood) {
    return board + " (firmware " + version(hello) + ") does not know " +
           (ended.command == MessageType::accept ? "how to be accepted" : what) + ": " + kFlash;
  }
  if (ended.how == CommandEnded::How::given_up) {
    return board + " has not confirmed " + what + " within " + std::to_string(HostEnd::kPatience / std::chrono::seconds(1)) +
           " s: look at its cable and do it again";
  }
  switch (ended.answer) {
    case Answer::wrong_revision:
      return board + " refuses " + what + ", because it is revision " + std::to_string(hello.revision) +
             (ended.command == MessageType::calibration ? ": calibrate this board itself"
                                                        : ": restart it, or take its profile");
    case Answer::cannot:
      switch (ended.command) {
        case MessageType::lights:
          return board + " refuses the lights, because it has only " + std::to_string(hello.lights) +
                 ": take the profile of that board";
        case MessageType::settings:
          return board +
                 " refuses its settings: correct limit_ma, gamma and debounce in [sensors.link] of the board's profile";
        case MessageType::calibration:
          return board + " refuses the calibration, because its numbers contradict each other: calibrate again";
        default: return board + " refuses " + what + ": take the profile of that board";
      }
    case Answer::not_stored:
      return board + " could not keep " + what +
             " in its flash, and the one before still counts: do it again, and if it fails "
             "again the board's memory is worn out";
    case Answer::not_accepted:
      return board + " refuses " + what + " as if it had not been accepted: restart it, and if that does not help " + kFlash;
    default:
      return board + " refuses " + what + " (answer " + std::to_string(static_cast<int>(ended.answer)) +
             "): install the newest package of merel";
  }
}

}  // namespace merel
