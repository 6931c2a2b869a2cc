#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""with_peer.py VERSION PROGRAM [ARGUMENT...]: runs a test program that starts TVM's servers with this Python."""
import os
import sys

os.environ["OPSCOPE_PEER_VERSION"] = sys.argv[1]
os.environ["OPSCOPE_PEER_PYTHON"] = sys.executable
os.execv(sys.argv[2], sys.argv[2:])
