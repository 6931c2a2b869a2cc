#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""One walk through the real program on an X server: opens an executable, runs it twice, shows every page, compares,
exports, ends. Keys are those of the server's keyboard; what came of them is read from the files, the store and the screen.

    xvfb_walk.py OPSCOPE EXECUTABLE

Starts an Xvfb of its own. Ends with 77 and a reason when there is none.
"""
import ctypes
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

WAIT_S = 60
SHIFT, CONTROL, ALT = 0xffe1, 0xffe3, 0xffe9
Z_PIXMAP = 2


class Image(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int), ("xoffset", ctypes.c_int),
                ("format", ctypes.c_int), ("data", ctypes.POINTER(ctypes.c_ubyte)), ("byte_order", ctypes.c_int),
                ("bitmap_unit", ctypes.c_int), ("bitmap_bit_order", ctypes.c_int), ("bitmap_pad", ctypes.c_int),
                ("depth", ctypes.c_int), ("bytes_per_line", ctypes.c_int)]


class Attributes(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int), ("width", ctypes.c_int), ("height", ctypes.c_int),
                ("border_width", ctypes.c_int), ("depth", ctypes.c_int), ("visual", ctypes.c_void_p),
                ("root", ctypes.c_ulong), ("window_class", ctypes.c_int), ("bit_gravity", ctypes.c_int),
                ("win_gravity", ctypes.c_int), ("backing_store", ctypes.c_int), ("planes", ctypes.c_ulong),
                ("pixel", ctypes.c_ulong), ("save_under", ctypes.c_int), ("colormap", ctypes.c_ulong),
                ("map_installed", ctypes.c_int), ("map_state", ctypes.c_int), ("all_masks", ctypes.c_long),
                ("your_mask", ctypes.c_long), ("no_propagate", ctypes.c_long), ("override_redirect", ctypes.c_int),
                ("screen", ctypes.c_void_p)]


def until(what, condition, seconds=WAIT_S):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    sys.exit(f"xvfb_walk: waited {seconds} s in vain: {what}")


class Screen:
    """The display, as libX11 gives it. The window on top gets the focus: there is no window manager to do so."""

    def __init__(self, name):
        x = self.x = ctypes.CDLL("libX11.so.6")
        self.test = ctypes.CDLL("libXtst.so.6")
        self.test.XTestFakeKeyEvent.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_ulong]
        x.XOpenDisplay.restype = ctypes.c_void_p
        x.XOpenDisplay.argtypes = [ctypes.c_char_p]
        x.XDefaultRootWindow.restype = ctypes.c_ulong
        x.XDefaultRootWindow.argtypes = [ctypes.c_void_p]
        x.XKeysymToKeycode.restype = ctypes.c_ubyte
        x.XKeysymToKeycode.argtypes = [ctypes.c_void_p, ctypes.c_ulong]
        x.XGetInputFocus.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_ulong), ctypes.POINTER(ctypes.c_int)]
        x.XSetInputFocus.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_ulong]
        x.XQueryTree.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.POINTER(ctypes.c_ulong),
                                 ctypes.POINTER(ctypes.c_ulong), ctypes.POINTER(ctypes.POINTER(ctypes.c_ulong)),
                                 ctypes.POINTER(ctypes.c_uint)]
        x.XGetWindowAttributes.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.POINTER(Attributes)]
        # A window may go between two questions; that is no error.
        self.handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda display, error: 0)
        x.XSetErrorHandler(self.handler)
        x.XSync.argtypes = [ctypes.c_void_p, ctypes.c_int]
        x.XGetImage.restype = ctypes.POINTER(Image)
        x.XGetImage.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_int, ctypes.c_uint,
                                ctypes.c_uint, ctypes.c_ulong, ctypes.c_int]
        self.display = until("the X server answers", lambda: x.XOpenDisplay(name.encode()), 20)
        self.root = x.XDefaultRootWindow(self.display)

    def on_top(self, popup=False):
        root, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
        children = ctypes.POINTER(ctypes.c_ulong)()
        self.x.XQueryTree(self.display, self.root, root, parent, children, count)
        for i in reversed(range(count.value)):
            about = Attributes()
            there = self.x.XGetWindowAttributes(self.display, children[i], about)
            if there and about.map_state == 2 and bool(about.override_redirect) == popup and about.width > 100:
                return children[i]
        return 0

    def focus(self):
        """The window on top, when it has the focus; else it gets it now."""
        window, revert = ctypes.c_ulong(), ctypes.c_int()
        top = self.on_top()
        self.x.XGetInputFocus(self.display, window, revert)
        if top and window.value != top:
            self.x.XSetInputFocus(self.display, top, 2, 0)
            self.x.XSync(self.display, 0)
            time.sleep(0.1)
            return 0
        return top

    def press(self, keysym, *modifiers):
        # A popup grabs the keyboard: keys come to it whatever has the focus.
        if not self.on_top(popup=True):
            until("a window has the focus", self.focus)
        codes = [self.x.XKeysymToKeycode(self.display, key) for key in (*modifiers, keysym)]
        for code in codes:
            self.test.XTestFakeKeyEvent(self.display, code, 1, 0)
        for code in reversed(codes):
            self.test.XTestFakeKeyEvent(self.display, code, 0, 0)
        self.x.XSync(self.display, 0)

    def type(self, text):
        for letter in text:
            shifted = letter.isupper() or letter in "_:~"
            base = {"_": "-", ":": ";"}.get(letter, letter.lower())
            self.press(ord(base), *([SHIFT] if shifted else []))

    def pixels(self):
        """Of the middle of the screen, as bytes."""
        image = self.x.XGetImage(self.display, self.root, 200, 130, 900, 500, 0xffffffff, Z_PIXMAP)
        return ctypes.string_at(image.contents.data, image.contents.bytes_per_line * image.contents.height)

    def save(self, path):
        """The whole screen as a PPM picture: what a failed walk saw last."""
        about = Attributes()
        self.x.XGetWindowAttributes(self.display, self.root, about)
        image = self.x.XGetImage(self.display, self.root, 0, 0, about.width, about.height, 0xffffffff, Z_PIXMAP)
        rows = ctypes.string_at(image.contents.data, about.width * about.height * 4)
        rgb = bytearray(about.width * about.height * 3)
        rgb[0::3], rgb[1::3], rgb[2::3] = rows[2::4], rows[1::4], rows[0::4]
        with open(path, "wb") as file:
            file.write(b"P6 %d %d 255\n" % (about.width, about.height) + rgb)


F5, RETURN = 0xffc2, 0xff0d


def walk(screen, program, store, folder):
    def runs():
        try:
            with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as base:
                return base.execute("select count(*) from runs").fetchone()[0]
        except sqlite3.Error:
            return 0

    until("the window has the focus", screen.focus)
    # F5 does nothing until the file is read.
    def one_run():
        screen.press(F5)
        time.sleep(0.3)
        return runs() >= 1
    until("the first run is saved", one_run)
    seen = []
    for page in "1234567":
        screen.press(ord(page), ALT)
        picture = until(f"page {page} is painted as no page before",
                        lambda: (lambda now: now if now not in seen and len(set(now)) > 40 else None)(screen.pixels()))
        seen.append(picture)
    before = runs()
    screen.press(F5)
    until("the next run is saved", lambda: runs() > before)
    screen.press(ord("d"), CONTROL)  # compares with the run before
    exported = os.path.join(folder, "out.json")
    main = screen.focus()
    screen.press(ord("p"), CONTROL, SHIFT)
    until("the palette opens", lambda: screen.on_top(popup=True))
    screen.type("tvm report")
    screen.press(RETURN)
    until("the file dialog opens", lambda: screen.focus() not in (0, main))
    screen.press(ord("a"), CONTROL)
    screen.type(exported)
    # The dialog lists names that fit as one types; a list that opens late takes the first Return for itself.
    def saved():
        if os.path.exists(exported) and os.path.getsize(exported) > 0:
            return True
        if screen.on_top() != main:
            screen.press(RETURN)
        time.sleep(0.3)
        return False
    until("the report is exported", saved)
    with open(exported, encoding="utf-8") as file:
        calls = json.load(file)["calls"]
    assert calls, "the exported report has no calls"
    until("the window has the focus again", lambda: screen.focus() == main)
    screen.press(ord("q"), CONTROL)
    return program.wait(timeout=WAIT_S)


def main():
    opscope, executable = sys.argv[1:3]
    server = shutil.which("Xvfb")
    if server is None:
        print("SKIPPED: there is no Xvfb; packaging/setup.sh installs it (Debian package xvfb)")
        return 77
    try:
        ctypes.CDLL("libXtst.so.6")
    except OSError:
        print("SKIPPED: there is no libXtst, which presses keys; packaging/setup.sh installs it (libxtst6)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        read, write = os.pipe()
        xvfb = subprocess.Popen([server, "-displayfd", str(write), "-screen", "0", "1440x900x24", "-nolisten", "tcp"],
                                pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        program = None
        try:
            with os.fdopen(read) as lines:
                number = lines.readline().strip()
            if not number:
                print("SKIPPED: Xvfb does not start here")
                return 77
            name = ":" + number
            environment = dict(os.environ, DISPLAY=name, QT_QPA_PLATFORM="xcb", XDG_CONFIG_HOME=folder + "/config",
                               XDG_DATA_HOME=folder + "/data", XDG_CACHE_HOME=folder + "/cache")
            environment.pop("WAYLAND_DISPLAY", None)
            screen = Screen(name)
            store = os.path.join(folder, "runs.sqlite")
            begin = time.monotonic()
            program = subprocess.Popen([opscope, executable, "--store", store], env=environment)
            try:
                status = walk(screen, program, store, folder)
            except (SystemExit, AssertionError):
                screen.save("xvfb_walk_failed.ppm")
                print("what stood on the screen: " + os.path.abspath("xvfb_walk_failed.ppm"))
                raise
            print(f"the walk took {time.monotonic() - begin:.1f} s, the program ended with {status}")
            return status
        finally:
            for process in (program, xvfb):
                if process is not None and process.poll() is None:
                    process.kill()
                    process.wait()


if __name__ == "__main__":
    sys.exit(main())
