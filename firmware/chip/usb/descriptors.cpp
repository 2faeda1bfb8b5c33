#include <pico/unique_id.h>
#include <tusb.h>

#include <array>
#include <cstdint>

/// How the board introduces itself on USB: a serial port named "Merel board" with the flash chip's own number, under Raspberry Pi's vendor
/// number and the product number that its SDK gives to serial ports. udev finds it by these names (60-merel.rules).
namespace merel::firmware {
namespace {

constexpr std::uint16_t kVendor = 0x2E8A;
constexpr std::uint16_t kProduct = 0x000A;

enum Interface : std::uint8_t {
  kControl,
  kData,
  kInterfaces
};
enum Endpoint : std::uint8_t {
  kNotify = 0x81,
  kOut = 0x02,
  kIn = 0x82
};
enum Text : std::uint8_t {
  kLanguage,
  kMaker,
  kName,
  kSerial
};

constexpr tusb_desc_device_t kDevice = {
    .bLength = sizeof(tusb_desc_device_t),
    .bDescriptorType = TUSB_DESC_DEVICE,
    .bcdUSB = 0x0200,
    .bDeviceClass = TUSB_CLASS_MISC,
    .bDeviceSubClass = MISC_SUBCLASS_COMMON,
    .bDeviceProtocol = MISC_PROTOCOL_IAD,
    .bMaxPacketSize0 = CFG_TUD_ENDPOINT0_SIZE,
    .idVendor = kVendor,
    .idProduct = kProduct,
    .bcdDevice = 0x0100,
    .iManufacturer = kMaker,
    .iProduct = kName,
    .iSerialNumber = kSerial,
    .bNumConfigurations = 1,
};

// The chain's current is not the port's affair: the board has its own supply.
constexpr std::uint8_t kConfiguration[] = {
    TUD_CONFIG_DESCRIPTOR(1, kInterfaces, 0, TUD_CONFIG_DESC_LEN + TUD_CDC_DESC_LEN, 0, 100),
    TUD_CDC_DESCRIPTOR(kControl, 0, kNotify, 8, kOut, kIn, 64),
};

/// A string descriptor: its length in bytes and its type, then UTF-16.
std::array<std::uint16_t, 32> text;

const std::uint16_t* make_text(const char* letters) {
  std::size_t count = 0;
  while (letters[count] != 0 && count + 1 < text.size()) {
    text[count + 1] = static_cast<std::uint8_t>(letters[count]);
    ++count;
  }
  text[0] = static_cast<std::uint16_t>(TUSB_DESC_STRING << 8U | (2 * count + 2));
  return text.data();
}

}  // namespace
}  // namespace merel::firmware

extern "C" {

const std::uint8_t* tud_descriptor_device_cb() { return reinterpret_cast<const std::uint8_t*>(&merel::firmware::kDevice); }
const std::uint8_t* tud_descriptor_configuration_cb(std::uint8_t /*index*/) { return merel::firmware::kConfiguration; }
const std::uint16_t* tud_descriptor_string_cb(std::uint8_t index, std::uint16_t /*language*/) {
  using namespace merel::firmware;
  switch (index) {
    case kLanguage:
      text[0] = static_cast<std::uint16_t>(TUSB_DESC_STRING << 8U | 4U);
      text[1] = 0x0409;  // English
      return text.data();
    case kMaker: return make_text("Merel");
    case kName: return make_text("Merel board");
    case kSerial: {
      char number[2 * PICO_UNIQUE_BOARD_ID_SIZE_BYTES + 1];
      pico_get_unique_board_id_string(number, sizeof number);
      return make_text(number);
    }
    default: return nullptr;
  }
}
}
