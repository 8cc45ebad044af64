import ErrorBusTesting
import Logging

/// A log whose lines a test reads or awaits: level, message and metadata.
struct RecordedLog: LogHandler {
    let lines = Recorder<String>()
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    var logger: Logger { Logger(label: "test") { _ in self } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }
            .map { "\($0.key)=\($0.value)" }
        lines.record(
            (["\(event.level)", "\(event.message)"] + fields).joined(separator: " "))
    }
}
