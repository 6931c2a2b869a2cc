// SPDX-License-Identifier: Apache-2.0
#include "app/server/arguments.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/rpc/address.h"
#include "engine/rpc/secret.h"
#include "opscope/version.h"

namespace opscope::server {

namespace {

using base::Error;
using base::ErrorCode;
using rpc::server::ClientAbi;
using rpc::server::ServerOptions;

constexpr int kWorkFailed = 1;
constexpr int kWrongUsage = 2;
constexpr int kMostPort = 65535;
constexpr std::size_t kMostKeyBytes = 200;

/// The values as they were written.
struct Written {
  std::string tracker;
  std::string secretFile;
  std::string clientAbi = "0.27";
  std::string wrapper;
  double handshakeS = 10;
  double cacheMiB = 4096;
  int session = -1;
  bool triesPlugins = false;
};

Ended tell(const Error& error, int status) {
  std::fputs(base::formatError(error).c_str(), stderr);
  return {status};
}

Error wrong(std::string message, std::string hint = "opscope-server --help shows what there is.") {
  return {ErrorCode::InvalidArgument, std::move(message), {}, std::move(hint)};
}

std::optional<Error> takeTracker(const std::string& text, ServerOptions& options) {
  auto address = rpc::parseAddress(text);
  if (!address) {
    Error error = wrong(fmt::format("--tracker {} is no place of a tracker", text),
                        "Write it as HOST:PORT, or [ADDRESS]:PORT.");
    error.detail = std::move(address).error().message;
    return error;
  }
  options.trackerHost = std::move(address->host);
  options.trackerPort = std::move(address->port);
  return std::nullopt;
}

std::optional<Error> checkKey(const ServerOptions& options) {
  if (options.key.find_first_of(" \t\r\n\v\f") != std::string::npos || options.key.size() > kMostKeyBytes) {
    return wrong(fmt::format("--key \"{}\" cannot be a key", options.key),
                 fmt::format("A key has no blanks and at most {} bytes.", kMostKeyBytes));
  }
  if (options.key.empty() && !options.trackerHost.empty()) {
    return wrong("--tracker needs --key",
                 "Clients ask the tracker for a board by its key, the kind of board.");
  }
  return std::nullopt;
}

std::optional<Error> checkPorts(const ServerOptions& options) {
  if (options.port < 0 || options.port > kMostPort) {
    return wrong(fmt::format("--port {} is no port", options.port), "Ports are 0 (any free one) to 65535.");
  }
  if (options.portEnd != 0 && (options.portEnd <= options.port || options.portEnd > kMostPort + 1)) {
    return wrong(fmt::format("--port-end {} does not lie behind --port {}", options.portEnd, options.port),
                 "The first free port of PORT to PORT-END minus 1 is taken.");
  }
  return std::nullopt;
}

/// opscope/uploads in the user's cache folder; nothing where there is none.
std::string defaultCache() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return std::string(cache) + "/opscope/uploads";
  }
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/opscope/uploads" : std::string();
}

std::string ownProgram(const char* first) {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? first : path.string();
}

std::vector<std::string> wordsOf(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// A finite number: CLI::Range takes "nan" for one.
CLI::Validator numberIn(double least, double most) {
  return CLI::Validator(
      [least, most](std::string& value) -> std::string {
        double number = 0;
        const char* const end = value.data() + value.size();
        const auto parsed = std::from_chars(value.data(), end, number);
        return parsed.ec == std::errc() && parsed.ptr == end && number >= least && number <= most
                   ? ""
                   : fmt::format("needs a number from {} to {}, found \"{}\"", least, most, value);
      },
      "");
}

void addOptions(CLI::App& app, ServerOptions& options, Written& written) {
  app.add_option("--host", options.host, "Address to listen at; 0.0.0.0: on all networks")
      ->capture_default_str();
  app.add_option("--port", options.port, "Port to listen at; 0: any free one")->capture_default_str();
  app.add_option("--port-end", options.portEnd,
                 "Take the first free port from --port to the one before this");
  app.add_option("--key", options.key, "The kind of board, by which a tracker's clients ask for it");
  app.add_option("--tracker", written.tracker, "Register with the tracker at HOST:PORT");
  app.add_option("--custom-addr", options.customAddress,
                 "Where the tracker's clients find this board, instead of "
                 "the address that the tracker sees");
  app.add_option("--work-dir", options.workDirectory,
                 "Folder for the sessions' files; default the temporary folder");
  app.add_option("--cache-dir", options.cacheDirectory,
                 "Folder where uploaded files are kept for later sessions");
  app.add_option("--cache-mib", written.cacheMiB, "Space for them; the oldest files go first")
      ->capture_default_str()
      ->check(numberIn(0, 1e9));
  app.add_option("--secret-file", written.secretFile, "File with a secret that clients must know");
  app.add_option("--client-abi", written.clientAbi, "0.21 for clients of TVM 0.21; all later ones are alike")
      ->capture_default_str()
      ->check(CLI::IsMember({"0.21", "0.22", "0.23", "0.24", "0.25", "0.26", "0.27"}));
  app.add_option("--max-sessions", options.maxSessions, "Clients served at once; more of them wait")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--handshake-timeout", written.handshakeS, "Seconds that a client has for its first words")
      ->capture_default_str()
      ->check(numberIn(0.1, 3600));
  app.add_option("--wrapper", written.wrapper,
                 "Start each session behind these words, such as \"taskset -c 4-7\"");
  app.add_option("--plugin", options.plugins, "Library of functions that executables need; again for each")
      ->allow_extra_args(false)
      ->check(CLI::ExistingFile);
  app.add_option("--session", written.session)->group("");             // the server's own use
  app.add_flag("--end-with-input", options.endsWithInput)->group("");  // of programs that start one
  app.add_flag("--try-plugins", written.triesPlugins)->group("");
  app.add_flag("-v,--verbose", options.verbose, "Log what is done to standard error");
}

Arguments finish(ServerOptions options, const Written& written, const char* program) {
  if (written.triesPlugins) {
    return PluginTrialArguments{options.verbose, std::move(options.plugins)};
  }
  if (written.session >= 0) {
    return SessionArguments{written.session, options.verbose, std::move(options.plugins)};
  }
  std::optional<Error> problem =
      written.tracker.empty() ? std::nullopt : takeTracker(written.tracker, options);
  problem = problem.has_value() ? problem : checkPorts(options);
  problem = problem.has_value() ? problem : checkKey(options);
  if (problem.has_value()) {
    return tell(*problem, kWrongUsage);
  }
  if (!written.secretFile.empty()) {
    auto secret = rpc::readSecret(written.secretFile);
    if (!secret) {
      return tell(secret.error(), kWorkFailed);
    }
    options.secret = *std::move(secret);
  }
  std::error_code ignored;
  if (std::filesystem::exists(options.cacheDirectory, ignored) &&
      !std::filesystem::is_directory(options.cacheDirectory, ignored)) {
    return tell({ErrorCode::Io,
                 fmt::format("--cache-dir {} is no folder", options.cacheDirectory),
                 {},
                 "Name a folder, or a place where one can be made."},
                kWorkFailed);
  }
  options.clientAbi = written.clientAbi == "0.21" ? ClientAbi::Tvm021 : ClientAbi::Tvm022;
  options.handshakeLimit = std::chrono::milliseconds(static_cast<std::int64_t>(written.handshakeS * 1000));
  options.cacheBytes = static_cast<std::uint64_t>(written.cacheMiB * 1024 * 1024);
  options.cacheDirectory = options.cacheDirectory.empty() ? defaultCache() : options.cacheDirectory;
  options.wrapper = wordsOf(written.wrapper);
  options.program = ownProgram(program);
  return options;
}

}  // namespace

Arguments parseArguments(int argc, const char* const* argv) {
  CLI::App app{"Lets clients of TVM's RPC, and Opscope, run and profile executables on this computer"};
  app.name("opscope-server");
  app.set_version_flag("--version", "opscope-server " OPSCOPE_VERSION);
  app.footer(
      "Examples:\n"
      "  opscope-server\n"
      "  opscope-server --host 0.0.0.0 --key rpi4 --tracker 192.168.1.10:9190 --secret-file secret\n\n"
      "Whoever may connect can run any code as the user that started this server: see docs/server.md.");
  ServerOptions options;
  Written written;
  addOptions(app, options, written);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return Ended{app.exit(success)};
  } catch (const CLI::ParseError& error) {
    return tell(wrong(error.what()), kWrongUsage);
  }
  return finish(std::move(options), written, argv[0]);
}

}  // namespace opscope::server
