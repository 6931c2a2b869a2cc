// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/stored_picture.h"

#include <QDir>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace opscope::ui::testing {
namespace {

/// Values of one channel: the finest that need no more than 256 colours.
constexpr std::array kLevels = {32, 24, 16, 12, 8, 6};
/// Beyond rounding, for processors that blend by other instructions.
constexpr int kSlack = 3;
/// So few points may differ: an edge that falls on the border of two squares.
constexpr int kFewPoints = 4;

QString folder() {
  return QStringLiteral(OPSCOPE_TEST_DATA "/pictures");
}

/// In few colours; `levels` tells how fine they are.
QImage inFewColours(const QImage& means, int& levels) {
  for (const int fineness : kLevels) {
    levels = fineness;
    const double step = 255.0 / (fineness - 1);
    std::array<int, 256> level;
    for (int value = 0; value < 256; ++value) level[std::size_t(value)] = int(std::lround(value / step));
    const auto shade = [step](int of) { return int(std::lround(of * step)); };
    QImage image(means.size(), QImage::Format_Indexed8);
    QList<QRgb> table;
    // Where each colour stands in the table, by the levels of its channels.
    std::vector<int> places(std::size_t(fineness * fineness * fineness), -1);
    for (int y = 0; y < means.height() && table.size() <= 256; ++y) {
      const auto* from = reinterpret_cast<const QRgb*>(means.constScanLine(y));
      uchar* to = image.scanLine(y);
      for (int x = 0; x < means.width(); ++x) {
        const int red = level[std::size_t(qRed(from[x]))], green = level[std::size_t(qGreen(from[x]))],
                  blue = level[std::size_t(qBlue(from[x]))];
        int& place = places[std::size_t((red * fineness + green) * fineness + blue)];
        if (place < 0) {
          place = int(table.size());
          table << qRgb(shade(red), shade(green), shade(blue));
        }
        to[x] = uchar(place);
      }
    }
    if (table.size() > 256) continue;
    image.setColorTable(table);
    return image;
  }
  return means;
}

struct Difference {
  int points = 0;
  int most = 0;
  QRect where;
  QImage image;
};

int distance(QRgb a, QRgb b) {
  return std::max(
      {std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)), std::abs(qBlue(a) - qBlue(b))});
}

/// `image` shows the expected picture faintly and what differs in red.
Difference between(const QImage& expected, const QImage& actual, int allowed) {
  Difference difference;
  difference.image = expected;
  for (int y = 0; y < expected.height(); ++y) {
    const auto* a = reinterpret_cast<const QRgb*>(expected.constScanLine(y));
    const auto* b = reinterpret_cast<const QRgb*>(actual.constScanLine(y));
    auto* shown = reinterpret_cast<QRgb*>(difference.image.scanLine(y));
    for (int x = 0; x < expected.width(); ++x) {
      const int off = distance(a[x], b[x]);
      const int grey = 200 + qGray(a[x]) / 5;
      shown[x] = off > allowed ? qRgb(220, 0, 0) : qRgb(grey, grey, grey);
      if (off <= allowed) continue;
      ++difference.points;
      difference.most = std::max(difference.most, off);
      difference.where |= QRect(x, y, 1, 1);
    }
  }
  return difference;
}

QString keep(const QImage& image, const QString& name) {
  const QString place = QStringLiteral(OPSCOPE_BINARY_DIR "/pictures");
  QDir().mkpath(place);
  const QString path = QStringLiteral("%1/%2.png").arg(place, name);
  image.save(path);
  return path;
}

QString howTo() {
  return QStringLiteral(
      "\n  When the new picture is as it should be: OPSCOPE_UPDATE_PICTURES=1 "
      "build/dev/tests/ui_pictures_test");
}

}  // namespace

QImage meansOf(const QImage& picture, int scale) {
  const QImage source = picture.convertToFormat(QImage::Format_RGB32);
  const int side = kMeanOf * scale;
  QImage means(source.width() / side, source.height() / side, QImage::Format_RGB32);
  std::vector<const QRgb*> lines(std::size_t(side), nullptr);
  for (int y = 0; y < means.height(); ++y) {
    for (int dy = 0; dy < side; ++dy)
      lines[std::size_t(dy)] = reinterpret_cast<const QRgb*>(source.constScanLine(y * side + dy));
    auto* to = reinterpret_cast<QRgb*>(means.scanLine(y));
    for (int x = 0; x < means.width(); ++x) {
      int red = 0, green = 0, blue = 0;
      for (int dy = 0; dy < side; ++dy) {
        const QRgb* from = lines[std::size_t(dy)] + x * side;
        for (int dx = 0; dx < side; ++dx) {
          red += qRed(from[dx]);
          green += qGreen(from[dx]);
          blue += qBlue(from[dx]);
        }
      }
      const int count = side * side;
      to[x] = qRgb(red / count, green / count, blue / count);
    }
  }
  return means;
}

QString differenceToStored(const QString& name, const QImage& picture, int scale) {
  const bool update = !qEnvironmentVariable("OPSCOPE_UPDATE_PICTURES").isEmpty();
  const QString path = QStringLiteral("%1/%2.png").arg(folder(), name);
  const QImage means = meansOf(picture, scale);
  int levels = 0;
  const QImage few = inFewColours(means, levels);
  const QImage stored = QImage(path).convertToFormat(QImage::Format_RGB32);
  QString words;
  if (stored.isNull()) {
    words = QStringLiteral("There is no stored picture %1.").arg(path);
  } else if (stored.size() != means.size()) {
    words = QStringLiteral("%1 is %2 × %3 points large; expected %4 × %5.")
                .arg(name)
                .arg(means.width())
                .arg(means.height())
                .arg(stored.width())
                .arg(stored.height());
  } else {
    const int allowed = 128 / (levels - 1) + kSlack;
    const Difference difference = between(stored, means, allowed);
    if (difference.points <= kFewPoints) return {};
    const QRect& at = difference.where;
    words = QStringLiteral("%1: %2 points differ, the most by %3 of 255, within x %4 … %5, y %6 … %7.")
                .arg(name)
                .arg(difference.points)
                .arg(difference.most)
                .arg(at.left() * kMeanOf)
                .arg((at.right() + 1) * kMeanOf)
                .arg(at.top() * kMeanOf)
                .arg((at.bottom() + 1) * kMeanOf);
    words += QStringLiteral("\n  differs: ") + keep(difference.image, name + QStringLiteral("-differs"));
    words += QStringLiteral("\n  expected: ") + path;
  }
  if (update) return few.save(path, "PNG", 0) ? QString() : QStringLiteral("cannot write ") + path;
  words += QStringLiteral("\n  came: ") + keep(picture, name + QStringLiteral("-came"));
  return words + howTo();
}

QStringList storedPictures() {
  QStringList names = QDir(folder()).entryList({QStringLiteral("*.png")}, QDir::Files);
  for (QString& name : names) name.chop(4);
  return names;
}

}  // namespace opscope::ui::testing
