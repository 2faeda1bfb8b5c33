// What is said of a link that does not work: each sentence names what, where and what to do.
#include "drivers/serial/link_sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "tests/places.h"

namespace merel {
namespace {

using link::Answer;
using link::CommandEnded;
using link::HostEnd;
using link::MessageType;
using How = CommandEnded::How;
using testing::HasSubstr;

LinkWiring at(const char* device) {
  LinkWiring out;
  out.device = device;
  return out;
}

/// One sentence on one line that names the device and has an order in it after a colon.
void expect_sentence(const std::string& text, const std::string& device, const std::vector<std::string>& parts) {
  EXPECT_THAT(text, HasSubstr(device));
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_NE(text.find(": "), std::string::npos) << text;
  EXPECT_FALSE(text.ends_with('.')) << text;
  for (const std::string& part : parts) EXPECT_THAT(text, HasSubstr(part));
}

TEST(LinkSentences, SayWhyAPortCannotBeOpened) {
  struct Case {
    const char* device;
    int error;
    std::optional<PortOwner> owner;
    std::vector<std::string> parts;
  };
  const Case cases[] = {
      {"/dev/merel-board", ENOENT, {}, {"does not exist", "USB cable that carries data", "60-merel.rules"}},
      {"/dev/serial0", ENOENT, {}, {"does not exist", "enable_uart=1"}},
      {"/dev/ttyAMA0", ENXIO, {}, {"does not exist", "enable_uart=1"}},
      {"/dev/serial/by-id/usb-Merel", ENOTDIR, {}, {"does not exist", "ls /dev/serial/by-id/*"}},
      {"/dev/ttyACM0", EACCES, {}, {"may not be opened", "adduser ann dialout"}},
      {"/dev/ttyACM0", EBUSY, {}, {"in use by another program", "fuser -v /dev/ttyACM0"}},
      {"/dev/ttyACM0", EWOULDBLOCK, PortOwner{7, "minicom"}, {"in use by 'minicom' (process 7)", "end it"}},
      {"/dev/serial0",
       EWOULDBLOCK,
       PortOwner{7, "agetty"},
       {"'agetty' (process 7)", "raspi-config nonint do_serial_cons 1"}},
      {"/dev/ttyACM0", EBUSY, PortOwner{7, "mereld"}, {"another mereld"}},
      {"/dev/ttyACM0", EBUSY, PortOwner{7, "ModemManager"}, {"systemctl disable --now ModemManager"}},
      {"/dev/null", ENOTTY, {}, {"is no serial port"}},
      {"/dev/ttyACM0", EINVAL, {}, {"460800 baud", "[sensors.link]"}},
      {"/dev/ttyACM0", EIO, {}, {"Input/output error", "dmesg"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.device) + ": " + std::to_string(c.error));
    expect_sentence(port_sentence(at(c.device), {c.error}, c.owner, "ann"), c.device, c.parts);
  }
}

TEST(LinkSentences, SayWhyThereIsNoHandshake) {
  struct Case {
    const char* device;
    HostEnd::Stage stage;
    HostEnd::Traffic traffic;
    std::optional<PortOwner> owner;
    std::vector<std::string> parts;
  };
  using Stage = HostEnd::Stage;
  const Case cases[] = {
      {"/dev/merel-board", Stage::greeting, {0, 0, 0}, {}, {"Nothing at all is heard", "no firmware"}},
      {"/dev/merel-board", Stage::greeting, {3, 0, 1}, {}, {"Nothing at all is heard"}},  // a plug that goes in
      {"/dev/serial0", Stage::greeting, {0, 0, 0}, {}, {"TX and RX are swapped", "GPIO 15"}},
      {"/dev/serial0", Stage::greeting, {900, 0, 7}, {}, {"900 bytes", "another speed"}},
      {"/dev/ttyUSB0", Stage::greeting, {900, 0, 7}, {}, {"another device", "another speed"}},
      {"/dev/serial0", Stage::greeting, {900, 3, 7}, {}, {"does not answer a hello", "GPIO 14", "flash"}},
      {"/dev/ttyACM0", Stage::greeting, {900, 3, 0}, {}, {"does not answer a hello", "restart it"}},
      {"/dev/ttyACM0", Stage::joining, {900, 3, 0}, {}, {"does not say what it sees"}},
      {"/dev/serial0", Stage::greeting, {0, 0, 0}, PortOwner{3, "agetty"}, {"'agetty' (process 3)", "do_serial_cons"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.parts[0]);
    expect_sentence(no_handshake_sentence(at(c.device), c.stage, c.traffic, c.owner), c.device, c.parts);
  }
}

TEST(LinkSentences, SayWhichBoardDoesNotFit) {
  link::BoardHello hello;
  hello.firmware = {1, 4, 2};
  hello.revision = 2;
  hello.protocol = 0;
  const LinkWiring wiring = at("/dev/merel-board");
  expect_sentence(unfit_sentence(wiring, link::Unfit::Why::revision, hello), wiring.device, {"revision 2", "revision 1"});
  expect_sentence(unfit_sentence(wiring, link::Unfit::Why::protocol, hello), wiring.device,
                  {"1.4.2", "the board is the older one"});
  hello.protocol = 9;
  expect_sentence(unfit_sentence(wiring, link::Unfit::Why::protocol, hello), wiring.device,
                  {"version 9", "mereld is the older one"});
}

TEST(LinkSentences, SayWhatTheBoardRefuses) {
  const LinkWiring wiring = at("/dev/merel-board");
  link::BoardHello hello;
  hello.lights = 16;
  std::vector<std::string> all;
  for (const MessageType command : {MessageType::accept, MessageType::lights, MessageType::buzzer, MessageType::settings,
                                    MessageType::calibration, MessageType::empty_sites}) {
    for (std::uint8_t answer = 1; answer < 6; ++answer) {
      all.push_back(refusal_sentence(wiring, {command, How::answered, static_cast<Answer>(answer)}, hello));
    }
    all.push_back(refusal_sentence(wiring, {command, How::not_understood, Answer::done}, hello));
  }
  all.push_back(refusal_sentence(wiring, {MessageType::calibration, How::given_up, Answer::done}, hello));
  for (const std::string& sentence : all) expect_sentence(sentence, wiring.device, {});
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << "two refusals that sound the same";
}

TEST(LinkSentences, SayThatABoardIsGone) {
  const LinkWiring wiring = at("/dev/merel-board");
  expect_sentence(gone_sentence(wiring, EIO), wiring.device, {"has gone away (Input/output error)", "cable"});
  expect_sentence(gone_sentence(wiring, 0), wiring.device, {"has gone away: "});
  expect_sentence(lost_sentence(wiring), wiring.device, {"2 s", "power"});
}

/// What docs/pico.md tells owners to look for is what is said.
TEST(LinkSentences, AreExplainedInTheDocumentByTheirOwnWords) {
  const LinkWiring wiring = at("/dev/ttyACM0");
  const link::BoardHello hello;
  using Stage = HostEnd::Stage;
  const std::vector<std::string> said = {
      port_sentence(wiring, {ENOENT}, {}, "ann"),
      port_sentence(wiring, {EACCES}, {}, "ann"),
      port_sentence(wiring, {EBUSY}, PortOwner{7, "minicom"}, "ann"),
      no_handshake_sentence(wiring, Stage::greeting, {}, {}),
      no_handshake_sentence(wiring, Stage::greeting, {}, PortOwner{7, "minicom"}),
      no_handshake_sentence(wiring, Stage::greeting, {900, 0, 7}, {}),
      no_handshake_sentence(wiring, Stage::greeting, {900, 3, 7}, {}),
      unfit_sentence(wiring, link::Unfit::Why::revision, hello),
      unfit_sentence(wiring, link::Unfit::Why::protocol, hello),
      gone_sentence(wiring, EIO),
      lost_sentence(wiring),
  };
  std::ifstream document(MEREL_SOURCE "/docs/pico.md");
  std::vector<std::string> explained;
  for (std::string line; std::getline(document, line);) {
    if (line == "| it says | do |") explained.emplace_back();
    if (!explained.empty() && line.starts_with("| `")) explained.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  ASSERT_EQ(explained.size(), said.size() + 1) << "each has its row";
  for (const std::string& phrase : explained) EXPECT_THAT(said, testing::Contains(HasSubstr(phrase))) << phrase;
}

}  // namespace
}  // namespace merel
