// The control socket, byte by byte: framing, limits, busy, unsupported, clients that do not read.
#include "daemon/server.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace leakhunt::daemon {
namespace {

using testing::HasSubstr;

// A blocking client that speaks raw bytes.
class Client {
 public:
  explicit Client(const std::filesystem::path& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  Client(Client&& other) noexcept : fd_(std::exchange(other.fd_, -1)), connected_(other.connected_) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() {
    if (fd_ >= 0) ::close(fd_);
  }

  void send(const std::string& bytes) const {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const auto n = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return;
      sent += static_cast<std::size_t>(n);
    }
  }
  void ask(const v1::Envelope& envelope) const {
    const std::string body = envelope.SerializeAsString();
    send(header(body.size()) + body);
  }
  [[nodiscard]] std::optional<v1::Envelope> receive() const {
    const auto head = read(4);
    if (!head) return std::nullopt;
    std::size_t length = 0;
    for (const char c : *head) length = length << 8U | static_cast<unsigned char>(c);
    const auto body = read(length);
    v1::Envelope envelope;
    if (!body || !envelope.ParseFromString(*body)) return std::nullopt;
    return envelope;
  }
  // The other side closed, and nothing came before.
  [[nodiscard]] bool at_end() const {
    char byte = 0;
    return ::recv(fd_, &byte, 1, 0) <= 0;
  }
  void close_writing() const { ::shutdown(fd_, SHUT_WR); }
  void small_receive_buffer() const {
    const int bytes = 4096;
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  }
  [[nodiscard]] bool connected() const { return connected_; }

  static std::string header(std::size_t length) {
    std::string head;
    for (const unsigned shift : {24U, 16U, 8U, 0U})
      head.push_back(static_cast<char>(length >> shift & 0xFFU));
    return head;
  }

 private:
  [[nodiscard]] std::optional<std::string> read(std::size_t bytes) const {
    std::string out(bytes, '\0');
    if (bytes > 0 && ::recv(fd_, out.data(), bytes, MSG_WAITALL) != static_cast<ssize_t>(bytes))
      return std::nullopt;
    return out;
  }

  int fd_;
  bool connected_ = false;
};

v1::Envelope status_question(std::uint64_t id) {
  v1::Envelope envelope;
  envelope.set_version(1);
  envelope.set_id(id);
  envelope.mutable_question()->mutable_status();
  return envelope;
}

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    std::string dir = std::filesystem::temp_directory_path() / "leakhunt-server-XXXXXX";
    dir_ = ::mkdtemp(dir.data());
    path_ = dir_ / "control.sock";
  }
  ~ServerTest() override {
    loop_.stop();
    server_.reset();
    std::filesystem::remove_all(dir_);
  }

  void serve(OnQuestion on_question, ServerLimits limits = {}) {
    auto server = Server::listen(loop_, path_, std::move(on_question), log_, limits);
    ASSERT_TRUE(server) << server.error().line();
    server_ = *std::move(server);
    loop_.start();
  }

  static bool answer_running(const v1::Question&, std::chrono::milliseconds, const OnAnswer& on_answer) {
    v1::Answer answer;
    answer.mutable_status()->set_running(true);
    on_answer(answer);
    return true;
  }

  EventLog log_;
  Loop loop_{"test", [](const std::string& what) { ADD_FAILURE() << what; }};
  std::filesystem::path dir_;
  std::filesystem::path path_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, AnswersWithTheIdMarkedLast) {
  serve(answer_running);
  const Client client{path_};
  for (const std::uint64_t id : {7U, 8U}) {
    client.ask(status_question(id));
    const auto reply = client.receive();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->id(), id);
    EXPECT_EQ(reply->version(), 1U);
    EXPECT_TRUE(reply->last());
    EXPECT_TRUE(reply->answer().status().running());
  }
}

TEST_F(ServerTest, TheSocketIsForUserAndGroupAlone) {
  serve(answer_running);
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0660U);
}

TEST_F(ServerTest, AMessageMayComeInPieces) {
  serve(answer_running);
  const Client client{path_};
  const std::string body = status_question(1).SerializeAsString();
  for (const char c : Client::header(body.size()) + body) client.send(std::string(1, c));
  EXPECT_TRUE(client.receive());
}

TEST_F(ServerTest, QuestionsSentAheadAreAnsweredInTheirOrder) {
  serve(answer_running);
  const Client client{path_};
  for (std::uint64_t id = 1; id <= 50; ++id) client.ask(status_question(id));
  for (std::uint64_t id = 1; id <= 50; ++id) EXPECT_EQ(client.receive()->id(), id);
}

TEST_F(ServerTest, ErrorsCarryTheExitCode) {
  serve([](const v1::Question&, std::chrono::milliseconds, const OnAnswer& on_answer) {
    on_answer(Error{ErrorCode::no_data, "silent", "bench1", "wait"});
    return true;
  });
  const Client client{path_};
  client.ask(status_question(3));
  const auto reply = client.receive();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->error().code(), 4);
  EXPECT_EQ(reply->error().what(), "silent");
  EXPECT_EQ(reply->error().where(), "bench1");
  EXPECT_EQ(reply->error().hint(), "wait");
}

TEST_F(ServerTest, UnknownQuestionsAndNewerVersionsAreUnsupportedAndTheClientStays) {
  serve(answer_running);
  const Client client{path_};
  v1::Envelope unknown;
  unknown.set_id(1);
  unknown.mutable_question()->set_device("bench1");
  client.ask(unknown);
  EXPECT_EQ(client.receive()->error().what(), "unsupported");
  v1::Envelope newer = status_question(2);
  newer.set_version(2);
  client.ask(newer);
  const auto reply = client.receive();
  EXPECT_EQ(reply->id(), 2U);
  EXPECT_EQ(reply->error().what(), "unsupported");
  client.ask(status_question(3));
  EXPECT_TRUE(client.receive()->has_answer());
}

TEST_F(ServerTest, TooLongAMessageIsRefusedBeforeItIsReadAndTheClientClosed) {
  serve(answer_running);
  const Client client{path_};
  client.send(Client::header((std::size_t{4} << 20) + 1));
  EXPECT_THAT(client.receive()->error().what(), HasSubstr("too long"));
  EXPECT_TRUE(client.at_end());
}

TEST_F(ServerTest, AMessageOfExactlyTheLimitIsRead) {
  serve(answer_running);
  const Client client{path_};
  v1::Envelope envelope = status_question(1);
  const std::size_t limit = std::size_t{4} << 20;
  envelope.mutable_question()->set_device(std::string(limit - 100, 'x'));
  while (envelope.ByteSizeLong() < limit) envelope.mutable_question()->mutable_device()->push_back('x');
  ASSERT_EQ(envelope.ByteSizeLong(), limit);
  client.ask(envelope);
  EXPECT_TRUE(client.receive()->has_answer());
}

TEST_F(ServerTest, BytesThatAreNoMessageAreRefused) {
  serve(answer_running);
  const Client client{path_};
  client.send(Client::header(4) + "\xff\xff\xff\xff");
  EXPECT_THAT(client.receive()->error().what(), HasSubstr("no leakhunt message"));
  EXPECT_TRUE(client.at_end());
}

TEST_F(ServerTest, AnAnswerTooLongForOneMessageIsAnErrorThatSaysSo) {
  serve([](const v1::Question&, std::chrono::milliseconds, const OnAnswer& on_answer) {
    v1::Answer answer;
    answer.mutable_status()->set_version(std::string(std::size_t{5} << 20, 'x'));
    on_answer(answer);
    return true;
  });
  const Client client{path_};
  client.ask(status_question(1));
  EXPECT_THAT(client.receive()->error().hint(), HasSubstr("smaller window"));
}

TEST_F(ServerTest, TheSeventeenthClientIsToldBusy) {
  serve(answer_running);
  std::vector<Client> clients;
  for (int i = 0; i < 16; ++i) {
    clients.emplace_back(path_);
    clients.back().ask(status_question(1));
    ASSERT_TRUE(clients.back().receive());
  }
  const Client late{path_};
  EXPECT_EQ(late.receive()->error().what(), "busy");
  EXPECT_TRUE(late.at_end());
  clients.front().ask(status_question(2));
  EXPECT_TRUE(clients.front().receive()->has_answer());
}

TEST_F(ServerTest, AClientThatAsksNothingFreesItsPlace) {
  ServerLimits limits;
  limits.idle = std::chrono::milliseconds{50};
  serve(answer_running, limits);
  const Client idle{path_};
  EXPECT_TRUE(idle.at_end());
}

TEST_F(ServerTest, TheBusyClientHearsItThoughItsQuestionIsLong) {
  ServerLimits limits;
  limits.clients = 1;
  serve(answer_running, limits);
  const Client first{path_};
  first.ask(status_question(1));
  ASSERT_TRUE(first.receive());
  const Client late{path_};
  v1::Envelope question = status_question(2);
  question.mutable_question()->set_device(std::string(std::size_t{1} << 20, 'x'));
  late.ask(question);
  const auto reply = late.receive();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->error().what(), "busy");
}

TEST_F(ServerTest, ASocketThatIsRemovedIsMadeAnew) {
  ServerLimits limits;
  limits.watch = std::chrono::milliseconds{10};
  serve(answer_running, limits);
  const Client before{path_};
  before.ask(status_question(1));
  ASSERT_TRUE(before.receive());
  std::filesystem::remove(path_);
  while (!Client{path_}.connected()) std::this_thread::yield();
  const Client after{path_};
  after.ask(status_question(2));
  EXPECT_TRUE(after.receive());
  before.ask(status_question(3));
  EXPECT_TRUE(before.receive());
}

TEST_F(ServerTest, AFullQueueOfQuestionsIsBusyAndTheClientStays) {
  serve([](const v1::Question&, std::chrono::milliseconds, const OnAnswer&) { return false; });
  const Client client{path_};
  client.ask(status_question(1));
  EXPECT_EQ(client.receive()->error().what(), "busy");
  client.ask(status_question(2));
  EXPECT_EQ(client.receive()->id(), 2U);
}

TEST_F(ServerTest, ADeadlineThatPassesIsAnError) {
  serve([](const v1::Question&, std::chrono::milliseconds, const OnAnswer&) { return true; });
  const Client client{path_};
  v1::Envelope question = status_question(1);
  question.set_deadline_ms(10);
  client.ask(question);
  EXPECT_THAT(client.receive()->error().what(), HasSubstr("took too long"));
}

TEST_F(ServerTest, ADeadlineNeverExceedsTheDaemonsOwn) {
  std::chrono::milliseconds given{};
  serve([&](const v1::Question&, std::chrono::milliseconds limit, const OnAnswer& on_answer) {
    given = limit;
    on_answer(v1::Answer{});
    return true;
  });
  const Client client{path_};
  v1::Envelope question = status_question(1);
  question.set_deadline_ms(3'600'000);
  client.ask(question);
  ASSERT_TRUE(client.receive());
  EXPECT_EQ(given, std::chrono::milliseconds{10'000});
}

TEST_F(ServerTest, AClientThatDoesNotReadIsClosedAndFreesItsPlace) {
  ServerLimits limits;
  limits.write = std::chrono::seconds{1};
  limits.clients = 1;
  serve(
      [](const v1::Question&, std::chrono::milliseconds, const OnAnswer& on_answer) {
        v1::Answer answer;
        answer.mutable_status()->set_version(std::string(std::size_t{3} << 20, 'x'));
        on_answer(answer);
        return true;
      },
      limits);
  const Client deaf{path_};
  deaf.small_receive_buffer();
  deaf.ask(status_question(1));
  // The answer does not fit the kernel's buffers: the place is free once the write was given up.
  for (;;) {
    const Client next{path_};
    next.ask(status_question(2));
    const auto reply = next.receive();
    ASSERT_TRUE(reply);
    if (reply->has_answer()) break;
    EXPECT_EQ(reply->error().what(), "busy");
  }
}

TEST_F(ServerTest, AMessageLeftHalfSentIsGivenUp) {
  ServerLimits limits;
  limits.message = std::chrono::milliseconds{50};
  serve(answer_running, limits);
  const Client client{path_};
  client.send(Client::header(100) + "abc");
  EXPECT_TRUE(client.at_end());
}

TEST_F(ServerTest, AnAnswerThatComesAfterItsClientIsGoneIsLetGo) {
  std::mutex mutex;
  std::condition_variable asked;
  OnAnswer late;
  serve([&](const v1::Question& question, std::chrono::milliseconds limit, const OnAnswer& on_answer) {
    const std::lock_guard lock{mutex};
    if (late) return answer_running(question, limit, on_answer);
    late = on_answer;
    asked.notify_all();
    return true;
  });
  {
    const Client client{path_};
    client.ask(status_question(1));
    std::unique_lock lock{mutex};
    asked.wait(lock, [&] { return static_cast<bool>(late); });
  }
  late(v1::Answer{});
  const Client client{path_};
  client.ask(status_question(2));
  EXPECT_TRUE(client.receive()->has_answer());
}

TEST_F(ServerTest, AStaleSocketIsReplacedAndRemovedAtTheEnd) {
  { std::filesystem::create_directories(dir_); }
  ::close(::creat(path_.c_str(), 0600));
  serve(answer_running);
  EXPECT_TRUE(Client{path_}.connected());
  loop_.stop();
  server_.reset();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(ServerTest, APathTooLongForASocketSaysWhatToDo) {
  const auto server = Server::listen(loop_, dir_ / std::string(120, 'x'), answer_running, log_);
  ASSERT_FALSE(server);
  EXPECT_THAT(server.error().line(), HasSubstr("shorter folder"));
}

}  // namespace
}  // namespace leakhunt::daemon
