import Logging

/// Notes errors on their way to the handler that writes them.
struct FaultLogHandler: LogHandler {
    var inner: any LogHandler
    let faults: RecentFaults

    var logLevel: Logger.Level {
        get { inner.logLevel }
        set { inner.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { inner.metadata }
        set { inner.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { inner.metadataProvider }
        set { inner.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { inner[metadataKey: key] }
        set { inner[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        if event.level >= .error {
            let pairs = (event.metadata ?? [:]).sorted { $0.key < $1.key }
                .map { " \($0.key)=\($0.value)" }
            faults.note(.logged, "\(event.message)\(pairs.joined())")
        }
        inner.log(event: event)
    }
}
