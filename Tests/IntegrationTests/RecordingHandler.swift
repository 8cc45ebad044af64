import ErrorBusTesting
import Logging

/// Records what is logged at info and above.
struct RecordingHandler: LogHandler {
    let label: String
    let said: Recorder<String>
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    init(label: String, said: Recorder<String>) {
        self.label = label
        self.said = said
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let pairs = (event.metadata ?? [:]).sorted { $0.key < $1.key }
            .map { " \($0.key)=\($0.value)" }
        said.record("\(event.level) \(label): \(event.message)\(pairs.joined())")
    }
}
