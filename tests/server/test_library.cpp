// SPDX-License-Identifier: Apache-2.0
// A library that tests upload, as a user's own library of kernels: with nothing but tvm-ffi's C API.
//   echo(x): x    fail(): raises ValueError "boom"    sleep(seconds)    crash()    terminate()
//   start_child(seconds): a program that outlives the session, its process id
//   start_chain(seconds): the same with one more that it has started, whose id    leave_file(): in TMPDIR
#include <signal.h>
#include <stdlib.h>
#include <tvm/ffi/c_api.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>

#define TEST_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

int raise(const char* kind, const char* message) {
  TVMFFIErrorSetRaisedFromCStr(kind, message);
  return -1;
}

double numberIn(const TVMFFIAny& value) {
  return value.type_index == kTVMFFIFloat ? value.v_float64 : static_cast<double>(value.v_int64);
}

}  // namespace

TEST_EXPORT int __tvm_ffi_echo(void* /*self*/, const TVMFFIAny* arguments, int32_t count, TVMFFIAny* result) {
  return count == 1 ? TVMFFIAnyViewToOwnedAny(arguments, result) : raise("TypeError", "echo takes one value");
}

TEST_EXPORT int __tvm_ffi_fail(void* /*self*/, const TVMFFIAny* /*arguments*/, int32_t /*count*/,
                               TVMFFIAny* /*result*/) {
  return raise("ValueError", "boom");
}

TEST_EXPORT int __tvm_ffi_sleep(void* /*self*/, const TVMFFIAny* arguments, int32_t /*count*/,
                                TVMFFIAny* result) {
  const double seconds = numberIn(arguments[0]);
  timespec left{static_cast<time_t>(seconds), static_cast<long>(std::fmod(seconds, 1.0) * 1e9)};
  while (nanosleep(&left, &left) != 0) {
  }
  result->type_index = kTVMFFINone;
  return 0;
}

TEST_EXPORT int __tvm_ffi_crash(void* /*self*/, const TVMFFIAny* /*arguments*/, int32_t /*count*/,
                                TVMFFIAny* /*result*/) {
  ::raise(SIGSEGV);
  return 0;
}

TEST_EXPORT int __tvm_ffi_terminate(void* /*self*/, const TVMFFIAny* /*arguments*/, int32_t /*count*/,
                                    TVMFFIAny* /*result*/) noexcept {
  std::terminate();
}

TEST_EXPORT int __tvm_ffi_start_child(void* /*self*/, const TVMFFIAny* arguments, int32_t /*count*/,
                                      TVMFFIAny* result) {
  const auto seconds = static_cast<unsigned>(numberIn(arguments[0]));
  const pid_t child = fork();
  if (child == 0) {
    setsid();  // out of the session's process group
    sleep(seconds);
    _exit(0);
  }
  result->type_index = kTVMFFIInt;
  result->v_int64 = child;
  return 0;
}

TEST_EXPORT int __tvm_ffi_start_chain(void* /*self*/, const TVMFFIAny* arguments, int32_t /*count*/,
                                      TVMFFIAny* result) {
  const auto seconds = static_cast<unsigned>(numberIn(arguments[0]));
  int ends[2];
  if (pipe(ends) != 0) {
    return raise("RuntimeError", "no pipe could be made");
  }
  if (fork() == 0) {
    setsid();
    const pid_t last = fork();
    if (last == 0) {
      setsid();
      sleep(seconds);
      _exit(0);
    }
    const bool told = write(ends[1], &last, sizeof(last)) == static_cast<ssize_t>(sizeof(last));
    sleep(told ? seconds : 0);
    _exit(0);
  }
  pid_t last = 0;
  if (read(ends[0], &last, sizeof(last)) != static_cast<ssize_t>(sizeof(last))) {
    return raise("RuntimeError", "the chain was not made");
  }
  close(ends[0]);
  close(ends[1]);
  result->type_index = kTVMFFIInt;
  result->v_int64 = last;
  return 0;
}

TEST_EXPORT int __tvm_ffi_leave_file(void* /*self*/, const TVMFFIAny* /*arguments*/, int32_t /*count*/,
                                     TVMFFIAny* result) {
  const char* folder = getenv("TMPDIR");
  char path[4096] = "";
  snprintf(path, sizeof(path), "%s/left.XXXXXX", folder);
  const int descriptor = mkstemp(path);
  if (descriptor < 0) {
    return raise("RuntimeError", "no file could be made");
  }
  close(descriptor);
  result->type_index = kTVMFFINone;
  return 0;
}
