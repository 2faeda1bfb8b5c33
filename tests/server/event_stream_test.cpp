#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <list>

#include "tests/server/running_server.h"

namespace merel {
namespace {

/// A message that can be told apart, of that size.
std::string message(std::size_t number, std::size_t size) {
  std::string result = std::to_string(number) + ' ';
  result.resize(std::max(size, result.size()), '.');
  return result;
}

TEST(EventStream, BeginsWithTheStateAndMissesNothingAfterIt) {
  RunningServer server;
  int number = 0;  // touched on the loop only
  server.on_loop([&] { server.application.tell_state = [&] { return std::to_string(number); }; });
  std::atomic<bool> done = false;
  // Counted and published in one go on the loop, as the daemon does.
  std::thread publisher([&] {
    while (!done)
      server.on_loop([&] { server.server().publish(std::make_shared<const std::string>(std::to_string(++number))); });
  });
  for (int i = 0; i < 20; ++i) {
    StreamClient client(server.port);
    ASSERT_EQ(client.status(), 101U);
    int expected = std::stoi(client.frame().payload);
    for (int k = 0; k < 20; ++k) ASSERT_EQ(client.frame().payload, std::to_string(++expected));
  }
  done = true;
  publisher.join();
}

TEST(EventStream, ThoseWhoNeverReadAreDroppedAndDelayNobody) {
  ServerSettings settings;
  settings.backlog_messages = 8;
  RunningServer server(settings);
  std::list<StreamClient> readers;
  std::list<StreamClient> stuck;
  for (int i = 0; i < 20; ++i) {
    auto& clients = i % 4 == 1 ? stuck : readers;
    clients.emplace_back(server.port, &clients == &stuck ? 4096 : 0);
    ASSERT_EQ(clients.back().status(), 101U);
    if (&clients == &readers) {
      ASSERT_EQ(clients.back().frame().payload, "state");
    }
  }
  ASSERT_EQ(stuck.size(), 5U);
  ASSERT_TRUE(server.reaches([](const auto& now) { return now.streams == 20; }));

  std::size_t number = 0;
  std::size_t rounds_more = 20;
  while (rounds_more > 0) {
    ASSERT_LT(number, 2000U) << "the stuck clients are not noticed";
    const std::string text = message(++number, 16 * 1024);
    server.publish(text);
    for (auto& reader : readers) ASSERT_EQ(reader.frame().payload, text);
    if (server.statistics().dropped_streams == 5) --rounds_more;
  }
  EXPECT_TRUE(server.reaches([](const auto& now) { return now.connections == 15; }));
  EXPECT_EQ(server.statistics().streams, 15U);
  EXPECT_EQ(server.statistics().dropped_streams, 5U);
}

TEST(EventStream, TheReasonOfADropIsTold) {
  const struct {
    std::size_t messages;
    std::size_t bytes;
    std::size_t behind;
  } cases[] = {{4, 1024 * 1024, 5}, {1000, 100 * 1024, 7}};
  for (const auto& c : cases) {
    ServerSettings settings;
    settings.backlog_messages = c.messages;
    settings.backlog_bytes = c.bytes;
    RunningServer server(settings);
    StreamClient client(server.port, 4096);
    ASSERT_TRUE(server.reaches([](const auto& now) { return now.streams == 1; }));
    std::size_t published = 0;
    while (server.statistics().dropped_streams == 0) {
      ASSERT_LT(published, 2000U);
      server.publish(message(++published, 16 * 1024));
    }
    EXPECT_EQ(server.statistics().streams, 0U);
    ASSERT_EQ(client.frame().payload, "state");
    std::size_t received = 0;
    Frame frame = client.frame();
    for (; frame.opcode == 1; frame = client.frame()) EXPECT_EQ(frame.payload, message(++received, 16 * 1024));
    if (frame.opcode == 8) {  // else this client has taken too long even for the farewell
      EXPECT_EQ(frame.close_code(), 1008U);
      EXPECT_EQ(frame.close_reason(), "too slow: " + std::to_string(c.behind) + " messages behind");
      EXPECT_EQ(received, published - c.behind);
    }
    EXPECT_TRUE(client.raw.ended());
    EXPECT_TRUE(server.reaches([](const auto& now) { return now.connections == 0; }));
  }
}

TEST(EventStream, ASlowClientThatKeepsUpStays) {
  ServerSettings settings;
  settings.backlog_messages = 2;
  RunningServer server(settings);
  StreamClient client(server.port, 4096);
  ASSERT_EQ(client.frame().payload, "state");
  ASSERT_TRUE(server.reaches([](const auto& now) { return now.streams == 1; }));
  for (std::size_t i = 0; i < 50; ++i) {
    server.publish(message(2 * i, 5000));
    server.publish(message(2 * i + 1, 5000));
    ASSERT_EQ(client.frame(97).payload, message(2 * i, 5000));
    ASSERT_EQ(client.frame(97).payload, message(2 * i + 1, 5000));
  }
  EXPECT_EQ(server.statistics().dropped_streams, 0U);
  EXPECT_EQ(server.statistics().streams, 1U);
}

TEST(EventStream, ALargeStateIsNoBacklog) {
  ServerSettings settings;
  settings.backlog_bytes = 1024;
  RunningServer server(settings);
  const std::string state(1'000'000, 's');
  server.on_loop([&] { server.application.tell_state = [&] { return state; }; });
  StreamClient client(server.port, 4096);
  ASSERT_TRUE(server.reaches([](const auto& now) { return now.streams == 1; }));
  server.publish("after");
  EXPECT_EQ(client.frame().payload, state);
  EXPECT_EQ(client.frame().payload, "after");
}

TEST(EventStream, WhatAClientSaysIsIgnoredUpToItsLimit) {
  RunningServer server;
  StreamClient client(server.port);
  EXPECT_EQ(client.frame().payload, "state");
  client.send_frame(1, "hello");
  client.send_frame(2, std::string(1024, 'x'));
  client.send_frame(9, "are you there");
  const Frame pong = client.frame();
  EXPECT_EQ(pong.opcode, 10U);
  EXPECT_EQ(pong.payload, "are you there");
  server.publish("event");
  EXPECT_EQ(client.frame().payload, "event");
  client.send_frame(1, std::string(1025, 'x'));
  const Frame end = client.frame();
  EXPECT_EQ(end.close_code(), 1009U);
  EXPECT_EQ(end.close_reason(), "at most 1024 bytes are read");
  EXPECT_TRUE(client.raw.ended());
  EXPECT_TRUE(server.reaches([](const auto& now) { return now.connections == 0; }));
}

TEST(EventStream, AFarewellIsReturned) {
  RunningServer server;
  StreamClient client(server.port);
  EXPECT_EQ(client.frame().payload, "state");
  client.send_frame(8, "\x03\xe8");
  EXPECT_EQ(client.frame().close_code(), 1000U);
  EXPECT_TRUE(client.raw.ended());
  EXPECT_TRUE(server.reaches([](const auto& now) { return now.streams == 0 && now.connections == 0; }));
}

TEST(EventStream, AStateThatCannotBeToldEndsTheStreamAlone) {
  RunningServer server;
  server.on_loop([&] { server.application.tell_state = []() -> std::string { throw std::runtime_error("no state"); }; });
  StreamClient client(server.port);
  EXPECT_EQ(client.frame().close_code(), 1011U);
  EXPECT_EQ(RawClient(server.port).ask("GET /api/echo").status, 200U);
}

TEST(EventStream, StreamsCountAsConnections) {
  ServerSettings settings;
  settings.connections = 2;
  RunningServer server(settings);
  StreamClient one(server.port);
  StreamClient two(server.port);
  EXPECT_EQ(RawClient(server.port).response().status, 503U);
  EXPECT_EQ(one.frame().payload, "state");
  EXPECT_EQ(server.statistics().connections, 2U);
}

}  // namespace
}  // namespace merel
