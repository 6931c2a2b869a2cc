// SPDX-License-Identifier: GPL-3.0-or-later
// Code of executables as plain values, and the functions that read it from files: slow, so that they run in
// the background. Nothing here shows tvm-ffi or capstone.
#pragma once

#include "engine/session/kernel_code.h"
#include "engine/session/program_code.h"
