import ErrorBus
import Foundation
import Logging

/// One line a message on standard error: time, level, text, then `key=value` pairs. Whatever came
/// from a peer is escaped, so that nothing in it can drive the terminal or forge a line.
struct BusLogHandler: LogHandler {
    var logLevel: Logger.Level = .info
    var metadata: Logger.Metadata = [:]
    private let label: String

    init(label: String) { self.label = label }

    /// Sends everything that is logged in this process here.
    static func bootstrap(level: Logger.Level) {
        LoggingSystem.bootstrap { label in
            var handler = BusLogHandler(label: label)
            handler.logLevel = level
            return handler
        }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var merged = metadata
        if let more = event.metadata { merged.merge(more) { _, new in new } }
        let pairs = merged.sorted { $0.key < $1.key }
            .map { " \($0.key)=\("\($0.value)".escapedForTerminal(scalarLimit: 500))" }
        let time = Date.now.formatted(.iso8601.time(includingFractionalSeconds: true))
        let text = "\(event.message)".escapedForTerminal()
        Terminal.say("\(time) \(event.level) \(label): \(text)\(pairs.joined())")
    }
}
