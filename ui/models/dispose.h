// SPDX-License-Identifier: GPL-3.0-or-later
// Large immutable data that is shared with the pages: whoever lets it go last, often the GUI thread, does not
// wait for its memory to be given back.
#pragma once

#include <QCoreApplication>
#include <QThreadPool>
#include <memory>
#include <utility>

namespace opscope::ui {

/// Destroys `data` on a thread of the pool. Without an application, at the end, here.
template <class Data>
void disposeElsewhere(Data* data) {
  if (QCoreApplication::instance() == nullptr) {
    delete data;
    return;
  }
  QThreadPool::globalInstance()->start([data]() { delete data; });
}

/// The same data, which `data` keeps, for who may be the last to let it go.
template <class Data>
std::shared_ptr<Data> disposedElsewhere(std::shared_ptr<Data> data) {
  Data* const address = data.get();
  return {address, [keep = std::move(data)](Data*) mutable {
            disposeElsewhere(new std::shared_ptr<Data>(std::move(keep)));
          }};
}

template <class Data>
std::shared_ptr<Data> shareLarge(std::unique_ptr<Data> data) {
  return {data.release(), [](Data* gone) { disposeElsewhere(gone); }};
}

}  // namespace opscope::ui
