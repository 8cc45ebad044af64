import Logging
import Synchronization

/// The latest faults of a node: errors it logged, refusals it sent and received, and connections to
/// it that failed. A repetition takes no further place. Refusals, which a peer can cause at will,
/// and failed connections, which a stranger can cause, never displace logged errors.
final class RecentFaults: Sendable {
    /// The most faults of each sort: logged, refused, and of failed connections.
    static let countMax = 10

    private struct Noted {
        let source: NotedFault.Source
        let text: String
        var count: Int
        let at: ContinuousClock.Instant
    }

    /// The lists of faults, oldest first.
    private struct Lists {
        var logged: [Noted] = []
        var refused: [Noted] = []
        var connections: [Noted] = []
    }

    private let lists = Mutex(Lists())

    func note(
        _ source: NotedFault.Source, _ text: String, count: Int = 1,
        at now: ContinuousClock.Instant = ContinuousClock.now
    ) {
        let noted = Noted(source: source, text: text.asStatusText, count: count, at: now)
        lists.withLock { lists in
            switch source {
            case .logged: Self.add(noted, to: &lists.logged)
            case .sent, .got: Self.add(noted, to: &lists.refused)
            case .connection: Self.add(noted, to: &lists.connections)
            }
        }
    }

    private static func add(_ fault: Noted, to list: inout [Noted]) {
        var noted = fault
        let before = list.firstIndex { $0.source == fault.source && $0.text == fault.text }
        if let before { noted.count += list.remove(at: before).count }
        list.append(noted)
        if list.count > countMax { list.removeFirst() }
    }

    /// The faults, newest first.
    func list(at now: ContinuousClock.Instant = ContinuousClock.now) -> [NotedFault] {
        let noted = lists.withLock { $0.logged + $0.refused + $0.connections }
        return noted.sorted { $0.at > $1.at }.map { noted in
            NotedFault(
                source: noted.source, text: noted.text, count: noted.count,
                agoMilliseconds: noted.at.duration(to: now).clampedMilliseconds)
        }
    }

    /// A logger that also records messages at error level or above.
    func watching(_ logger: Logger) -> Logger {
        var logger = logger
        logger.handler = FaultLogHandler(inner: logger.handler, faults: self)
        return logger
    }
}

extension Duration {
    /// The duration in whole milliseconds; 0 when negative.
    var clampedMilliseconds: UInt64 { UInt64(clamping: Int64(self / .milliseconds(1))) }
}

/// A handler that records errors and passes every message on to another handler.
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
