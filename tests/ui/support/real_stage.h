// SPDX-License-Identifier: GPL-3.0-or-later
// A window with the engine's own session, and opscope-server and trackers as programs beside it. GUI thread.
#pragma once

#include <QPointer>
#include <QProcess>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QtTest>

#include "ui/bridge/session_driver.h"
#include "ui/shell/application.h"
#include "ui/shell/main_window.h"

namespace opscope::ui::testing {

/// opscope-server on a free port of 127.0.0.1; ended with this object.
class BoardServer {
 public:
  explicit BoardServer(const QStringList& options = {}) {
    m_process.setProcessChannelMode(QProcess::SeparateChannels);
    m_process.start(QStringLiteral(OPSCOPE_SERVER),
                    QStringList{QStringLiteral("--port"), QStringLiteral("0"), QStringLiteral("--work-dir"),
                                m_folder.filePath(QStringLiteral("work")), QStringLiteral("--cache-dir"),
                                m_folder.filePath(QStringLiteral("cache"))} +
                        options);
    QString line;
    while (!line.contains(QLatin1Char('\n')) && m_process.waitForReadyRead(20000))
      line += QString::fromUtf8(m_process.readAllStandardOutput());
    m_port = line.section(QLatin1Char('\n'), 0, 0).section(QLatin1Char(':'), -1).trimmed();
  }
  ~BoardServer() { end(false); }
  BoardServer(const BoardServer&) = delete;
  BoardServer& operator=(const BoardServer&) = delete;

  bool isUp() const { return !m_port.isEmpty(); }
  QString address() const { return QStringLiteral("127.0.0.1:") + m_port; }
  void end(bool byForce) {
    if (m_process.state() == QProcess::NotRunning) return;
    if (byForce) {
      m_process.kill();
    } else {
      m_process.terminate();
    }
    m_process.waitForFinished(10000);
  }

 private:
  QTemporaryDir m_folder;
  QProcess m_process;
  QString m_port;
};

/// Everything that a window needs, with sessions of the engine.
struct RealStage {
  Theme theme;
  QTemporaryDir folder;
  std::unique_ptr<Settings> settings;
  std::unique_ptr<RunStore> store;
  std::unique_ptr<Workspace> workspace;
  std::unique_ptr<MainWindow> window;

  RealStage() {
    dressApplication(&theme, ThemeChoice::Light);
    settings = std::make_unique<Settings>(folder.filePath(QStringLiteral("opscope.ini")));
    store = std::make_unique<RunStore>(folder.filePath(QStringLiteral("runs.sqlite")));
    workspace = std::make_unique<Workspace>(engineSessionFactory(), settings.get(), store.get());
    workspace->setRunLengths(5, 1);
    window = std::make_unique<MainWindow>(&theme, workspace.get(), QString());
    window->resize(1440, 900);
    window->show();
    (void)QTest::qWaitForWindowActive(window.get());  // for shortcuts
  }
  ~RealStage() {
    window.reset();
    workspace->shutDown();
  }

  static QString fixture(const char* name) {
    return QStringLiteral(OPSCOPE_TEST_DATA "/vm/tvm027/") + QString::fromLatin1(name);
  }
  void open(const QString& file) {
    workspace->openFile(file);
    QTRY_VERIFY_WITH_TIMEOUT(workspace->executable() != nullptr && !workspace->isOpening(), 30000);
  }
  QString addDirect(const QString& address, const QString& name = QStringLiteral("board on the desk")) {
    SavedBoard board;
    board.name = name;
    board.address = address;
    const int row = workspace->boards()->add(board);
    return workspace->boards()->boards()[std::size_t(row)].id;
  }
  QString addTracker(const QString& address, const QString& key) {
    SavedBoard board;
    board.name = QStringLiteral("lab tracker");
    board.kind = SavedBoard::Kind::Tracker;
    board.address = address;
    board.key = key;
    const int row = workspace->boards()->add(board);
    return workspace->boards()->boards()[std::size_t(row)].id;
  }
  Command* command(const char* id) const {
    for (Command* command : window->commands()) {
      if (command->id() == QLatin1String(id)) return command;
    }
    return nullptr;
  }
  /// Pictures are written where $OPSCOPE_PICTURES says, for people who look at them.
  void picture(QWidget* widget, const QString& name) {
    const QString place = qEnvironmentVariable("OPSCOPE_PICTURES");
    if (place.isEmpty()) return;
    for (const auto& [choice, word] :
         {std::pair(ThemeChoice::Light, "light"), std::pair(ThemeChoice::Dark, "dark"),
          std::pair(ThemeChoice::HighContrast, "contrast")}) {
      theme.choose(choice);
      QApplication::setPalette(theme.palette());
      QCoreApplication::processEvents(QEventLoop::ExcludeUserInputEvents);
      QImage image(widget->size(), QImage::Format_ARGB32_Premultiplied);
      image.fill(theme.colours().window);
      widget->render(&image);
      image.save(QStringLiteral("%1/%2-%3.png").arg(place, name, QString::fromLatin1(word)));
    }
    theme.choose(ThemeChoice::Light);
    QApplication::setPalette(theme.palette());
  }
};

/// A tracker as the real one speaks, for as many servers and clients as come: ping, update, put, request,
/// summary. Lives on the GUI thread of the test, whose event loop serves it.
class TrackerServer : public QObject {
 public:
  TrackerServer() {
    m_server.listen(QHostAddress::LocalHost);
    connect(&m_server, &QTcpServer::newConnection, this, [this]() {
      while (QTcpSocket* socket = m_server.nextPendingConnection()) accept(socket);
    });
  }
  ~TrackerServer() override {
    // Sockets tell of their end while the server goes, and what they would change is gone by then.
    for (QTcpSocket* socket : m_server.findChildren<QTcpSocket*>()) socket->disconnect(this);
  }
  QString address() const { return QStringLiteral("127.0.0.1:%1").arg(m_server.serverPort()); }
  int freeBoards() const { return int(m_free.size()); }
  int waiting() const { return int(m_waiting.size()); }

 private:
  static constexpr qint32 kMagic = 0x2f271;
  struct Peer {
    QByteArray bytes;
    bool greeted = false;
    QJsonObject info;
  };
  struct Offer {
    QPointer<QTcpSocket> server;
    QString key, matchKey, host;
    int port = 0;
  };
  struct Request {
    QPointer<QTcpSocket> client;
    QString key;
  };

  void accept(QTcpSocket* socket) {
    connect(socket, &QTcpSocket::readyRead, this, [this, socket]() { read(socket); });
    connect(socket, &QTcpSocket::disconnected, this, [this, socket]() {
      std::erase_if(m_free, [&](const Offer& offer) { return offer.server == socket; });
      std::erase_if(m_waiting, [&](const Request& request) { return request.client == socket; });
      m_peers.remove(socket);
      socket->deleteLater();
    });
  }
  void read(QTcpSocket* socket) {
    Peer& peer = m_peers[socket];
    peer.bytes += socket->readAll();
    if (!peer.greeted && peer.bytes.size() >= 4) {
      peer.bytes.remove(0, 4);
      peer.greeted = true;
      const qint32 magic = kMagic;
      socket->write(reinterpret_cast<const char*>(&magic), 4);
    }
    while (peer.greeted && peer.bytes.size() >= 4) {
      qint32 size = 0;
      memcpy(&size, peer.bytes.constData(), 4);
      if (peer.bytes.size() < 4 + size) return;
      const QByteArray text = peer.bytes.mid(4, size);
      peer.bytes.remove(0, 4 + size);
      answer(socket, QJsonDocument::fromJson(text).array());
    }
  }
  static void send(QTcpSocket* socket, const QByteArray& text) {
    const qint32 size = qint32(text.size());
    socket->write(QByteArray(reinterpret_cast<const char*>(&size), 4) + text);
  }
  /// Codes of TVM's tracker: STOP 1, PING 2, PUT 3, REQUEST 4, UPDATE_INFO 5, GET_SUMMARY 6, PENDING_KEYS 7.
  void answer(QTcpSocket* socket, const QJsonArray& words) {
    switch (words[0].toInt()) {
      case 3: {
        const QJsonArray where = words[2].toArray();
        Offer offer{socket, words[1].toString(), where[1].toString(), QStringLiteral("127.0.0.1"),
                    where[0].toInt()};
        m_free.push_back(offer);
        send(socket, "0");
        serve();
        return;
      }
      case 4:
        m_waiting.push_back({socket, words[1].toString()});
        serve();
        return;
      case 5: {
        // Where a server does not say its address, it is what the tracker sees.
        QJsonObject info = words[1].toObject();
        info[QStringLiteral("addr")] =
            QJsonArray{QStringLiteral("127.0.0.1"), info[QStringLiteral("addr")].toArray().at(1)};
        m_peers[socket].info = info;
        send(socket, "0");
        return;
      }
      case 6:
        send(socket, summary());
        return;
      case 7: {
        QJsonArray keys;
        for (const Offer& offer : m_free) {
          if (offer.server == socket) keys.append(offer.matchKey);
        }
        send(socket, QJsonDocument(keys).toJson(QJsonDocument::Compact));
        return;
      }
      default:
        send(socket, "0");
    }
  }
  void serve() {
    for (auto request = m_waiting.begin(); request != m_waiting.end();) {
      const auto offer = std::find_if(m_free.begin(), m_free.end(),
                                      [&](const Offer& candidate) { return candidate.key == request->key; });
      if (offer == m_free.end()) {
        ++request;
        continue;
      }
      send(request->client,
           QJsonDocument(QJsonArray{0, QJsonArray{offer->host, offer->port, offer->matchKey}})
               .toJson(QJsonDocument::Compact));
      m_free.erase(offer);
      request = m_waiting.erase(request);
    }
  }
  QByteArray summary() const {
    QJsonObject queues;
    QJsonArray servers;
    const auto count = [&](const QString& key) {
      QJsonObject queue;
      queue[QStringLiteral("free")] = int(
          std::count_if(m_free.begin(), m_free.end(), [&](const Offer& offer) { return offer.key == key; }));
      queue[QStringLiteral("pending")] = int(std::count_if(
          m_waiting.begin(), m_waiting.end(), [&](const Request& request) { return request.key == key; }));
      queues[key] = queue;
    };
    for (const Offer& offer : m_free) count(offer.key);
    for (const Request& request : m_waiting) count(request.key);
    for (const Peer& peer : m_peers) {
      if (peer.info.isEmpty()) continue;
      servers.append(peer.info);
      const QString key = peer.info[QStringLiteral("key")].toString().section(QLatin1Char(':'), 1);
      if (!queues.contains(key)) count(key);
    }
    return QJsonDocument(QJsonArray{0, QJsonObject{{QStringLiteral("queue_info"), queues},
                                                   {QStringLiteral("server_info"), servers}}})
        .toJson(QJsonDocument::Compact);
  }

  QTcpServer m_server;
  QHash<QTcpSocket*, Peer> m_peers;
  std::vector<Offer> m_free;
  std::vector<Request> m_waiting;
};

}  // namespace opscope::ui::testing
